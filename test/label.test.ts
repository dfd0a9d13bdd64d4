import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeCrossEncoder } from '../src/teacher/cross-encoder.fixture.js';
import { writeSynonyms } from '../src/train/synonyms.fixture.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-label-command-'));
  await writeSynonyms(join(folder, 'data'), { words: 6, seed: 3 });
  await writeCrossEncoder(join(folder, 'teacher'));
  await nearmiss('mine', 'data', '--depth', '5', '--show', '0', '--out', 'mined');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function nearmiss(...args: string[]): Promise<string> {
  const command = resolve(import.meta.dirname, '../dist/cli/main.js');
  const env = { ...process.env, NEARMISS_CACHE: join(folder, 'cache') };
  const options = { cwd: folder, env };
  return (await promisify(execFile)(process.execPath, [command, ...args], options)).stdout;
}

const label = (out: string, ...more: string[]): Promise<string> =>
  nearmiss('label', 'data', '--model', 'teacher', '--candidates', 'mined', '--out', out, '--json', ...more);

test('scores positives and candidates once, and takes them from the disk from then on', async () => {
  const first = JSON.parse(await label('first.trec'));
  expect(first.pairs).toBeGreaterThan(first.queries);
  expect(first.computed).toBeGreaterThan(0);
  const again = JSON.parse(await label('again.trec'));
  expect(again).toMatchObject({ pairs: first.pairs, queries: first.queries, computed: 0, tokens: 0 });
  const [one, other] = await Promise.all(
    ['first.trec', 'again.trec'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  expect(other).toBe(one);
  expect(one.trim().split('\n')).toHaveLength(first.pairs);
});

test('a retriever scores, too, alone and beside a cross-encoder', async () => {
  const scores = async (...models: string[]): Promise<number[]> => {
    const flags = models.flatMap((model) => ['--model', model]);
    const out = `${models.join('-')}.trec`;
    await nearmiss('label', 'data', ...flags, '--candidates', 'mined', '--out', out, '--quiet');
    const lines = (await readFile(join(folder, out), 'utf8')).trim().split('\n').sort();
    return lines.map((line) => Number(line.split(/\s/)[4]));
  };
  const [cross, retriever, both] = [
    await scores('teacher'),
    await scores('minilm'),
    await scores('teacher', 'minilm'),
  ];
  // Cosines over .05.
  expect(retriever.every((score) => Math.abs(score) <= 20.001)).toBe(true);
  expect(new Set(retriever).size).toBeGreaterThan(10);
  expect(both.reduce((sum, score) => sum + score, 0)).toBeCloseTo(
    [...cross, ...retriever].reduce((sum, score) => sum + score, 0) / 2,
    1,
  );
});

test('candidates that are not there, and a model that is none, are told', async () => {
  await expect(
    nearmiss('label', 'data', '--model', 'teacher', '--candidates', 'none', '--out', 'x'),
  ).rejects.toThrow(/none: no such file or folder of candidates/);
  await expect(
    nearmiss('label', 'data', '--model', 'data', '--candidates', 'mined', '--out', 'x'),
  ).rejects.toThrow(/data/);
});
