import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeSynonyms } from '../src/train/synonyms.fixture.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');
const THREADS = ['--trainer-threads', '1', '--inferencer-threads', '1', '--quiet'];
const LAST_WEIGHTS = 'checkpoints/step-000030/model.safetensors';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-bad-'));
  await writeSynonyms(join(folder, 'data'), { words: 14, seed: 3 });
  await trainTo('whole');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Outcome {
  code: number;
  stderr: string;
}

async function run(command: string, args: string[]): Promise<Outcome> {
  try {
    const { stderr } = await promisify(execFile)(command, args);
    return { code: 0, stderr };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, stderr };
  }
}

const nearmiss = (...args: string[]): Promise<Outcome> => run(process.execPath, [CLI, ...args]);

function train(name: string, data = 'data', ...more: string[]): Promise<Outcome> {
  const out = ['--data', join(folder, data), '--recipe', 'tiny', '--out', join(folder, name)];
  return nearmiss('train', ...out, ...more, ...THREADS);
}

async function trainTo(name: string, ...more: string[]): Promise<void> {
  const { code, stderr } = await train(name, 'data', ...more);
  expect(stderr).not.toContain('nearmiss:');
  expect(code).toBe(0);
}

const lastWeights = (name: string): Promise<Buffer> => readFile(join(folder, name, LAST_WEIGHTS));

/** One line that says what is wrong, one that says what to do, and no stack trace. */
function expectClear({ code, stderr }: Outcome, ...parts: string[]): void {
  expect(code).toBe(1);
  for (const part of parts) expect(stderr).toContain(part);
  expect(stderr).toContain('  → ');
  expect(stderr).not.toMatch(/^\s+at /m);
}

/** The dataset with other judgments to learn from. */
async function dataWith(name: string, change: (trainLines: string[]) => string[]): Promise<string> {
  const lines = (await readFile(join(folder, 'data/qrels/train.tsv'), 'utf8')).trimEnd().split('\n');
  await cp(join(folder, 'data'), join(folder, name), { recursive: true });
  await writeFile(join(folder, name, 'qrels/train.tsv'), `${change(lines).join('\n')}\n`);
  return name;
}

describe('a dataset that cannot be learned from leaves no run behind', () => {
  test.each([
    ['no judgments', ([header]: string[]) => [header]],
    [
      'nothing relevant',
      ([header, ...rows]: string[]) => [header, ...rows.map((row) => row.replace(/\S+$/, '0'))],
    ],
  ])('%s', async (name, change) => {
    const data = await dataWith(name, change);
    expectClear(await train(`${name}-run`, data), 'no query of split "train" has a relevant document');
    await expect(readdir(join(folder, `${name}-run`))).rejects.toThrow('ENOENT');
  });
});

test('a disk that fills up ends a run with a clear error, and with room it goes on to the same bits', async () => {
  const args = [
    '--data',
    join(folder, 'data'),
    '--recipe',
    'tiny',
    '--out',
    join(folder, 'full'),
    ...THREADS,
  ];
  // A limit on the size of files (80 kB: less than best/onnx/model.onnx) fails writes midway, as a full disk does,
  // and needs no mount.
  const limited = await run('bash', [
    '-c',
    'ulimit -f 80; exec "$0" "$@"',
    process.execPath,
    CLI,
    'train',
    ...args,
  ]);
  expectClear(limited, 'cannot write');
  const checkpoints = await readdir(join(folder, 'full/checkpoints')).catch(() => []);
  expect(checkpoints.filter((name) => name.startsWith('.partial'))).toEqual([]);
  await trainTo('full');
  expect((await lastWeights('full')).equals(await lastWeights('whole'))).toBe(true);
});

test('a checkpoint that another recipe made is refused', async () => {
  await trainTo('other', '--set', 'optimizer.learningRate=1e-2');
  await cp(join(folder, 'whole'), join(folder, 'mixed'), { recursive: true });
  await rm(join(folder, 'mixed/finished.json'));
  await rm(join(folder, 'mixed/checkpoints'), { recursive: true });
  await mkdir(join(folder, 'mixed/checkpoints'));
  await cp(join(folder, 'other/checkpoints/step-000020'), join(folder, 'mixed/checkpoints/step-000020'), {
    recursive: true,
  });
  expectClear(await train('mixed'), 'step-000020: a checkpoint of another recipe');
});

test('another recipe for a run that has begun is refused with the difference', async () => {
  const outcome = await train('whole', 'data', '--set', 'optimizer.learningRate=1e-5');
  expectClear(outcome, 'begun with another recipe', 'optimizer.learningRate: 0.001 → 0.00001');
});

test('a damaged index is named, and the run it belongs to stays', async () => {
  await cp(join(folder, 'whole'), join(folder, 'damaged'), { recursive: true });
  const index = join(folder, 'damaged/index/step-000030');
  const file = await open(join(index, 'vectors.bin'), 'r+');
  await file.write(Buffer.from('damage'), 0, 6, 64);
  await file.close();
  expectClear(await nearmiss('search', join(folder, 'damaged'), 'gox'), 'vectors.bin', 'checksum is wrong');
  expect((await lastWeights('damaged')).equals(await lastWeights('whole'))).toBe(true);
});
