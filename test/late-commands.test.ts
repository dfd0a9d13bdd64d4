import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeSynonyms } from '../src/train/synonyms.fixture.js';
import { type CliResult, runBuiltCli } from './console-blocks.fixture.js';

let folder: string;
const run = (...args: string[]): Promise<CliResult> => runBuiltCli(args, { cwd: folder });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-late-commands-'));
  await writeSynonyms(join(folder, 'data'), { words: 8, seed: 5 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const HEADS = {
  colbert:
    '{pooling: tokens, projection: 16, bias: false, queryMarker: false, documentMarker: false, fillQueries: 0}',
  poly: '{pooling: codes, codes: 4, documents: mean}',
};

test.each(Object.entries(HEADS))(
  '%s: a run is analysed, reported, mined with, exported and encoded with',
  async (name, head) => {
    const train = await run(
      'train',
      '--data',
      'data',
      '--recipe',
      'tiny',
      '--out',
      name,
      '--quiet',
      '--set',
      `model.head=${head}`,
    );
    expect(train.stderr).not.toContain('nearmiss:');
    expect(train.code).toBe(0);
    const analysed = await run('analyze', name, '--queries', '10', '--json', '--quiet');
    expect(analysed.code).toBe(0);
    const analysis = JSON.parse(analysed.stdout);
    expect(analysis.longTail).toBeDefined();
    expect(analysis.overlap).toBeDefined();
    expect(analysis.gradients).toBeUndefined();
    const refused = await run('analyze', name, '--only', 'gradients', '--queries', '10', '--quiet');
    expect(refused.stderr).toContain('what a negative would teach is known of queries with one vector');
    expect((await run('report', name, '--out', `${name}.html`, '--quiet')).code).toBe(0);
    expect(await readFile(join(folder, `${name}.html`), 'utf8')).toContain('BM25');
    const mined = await run(
      'mine',
      'data',
      '--source',
      'model',
      '--model',
      `${name}/best`,
      '--depth',
      '5',
      '--out',
      `${name}-mined`,
    );
    expect(mined.stderr).not.toContain('nearmiss:');
    expect(mined.code).toBe(0);
    expect((await run('export', name, '--out', `${name}-exported`)).code).toBe(0);
    expect(existsSync(join(folder, `${name}-exported`, 'onnx', 'model_quantized.onnx'))).toBe(true);
    const encoded = await run('encode', 'data', '--model', `${name}/best`, '--output', `${name}.npy`);
    expect(encoded.code).toBe(0);
    const said = new RegExp(
      name === 'colbert' ? /^colbert\.npy: 64 texts, (\d+) vectors of 16 / : /^poly\.npy: (\d+) vectors of /,
    ).exec(encoded.stdout)!;
    const vectors = Number(said[1]);
    if (name === 'poly') expect(vectors).toBe(64);
    else expect(vectors).toBeGreaterThan(3 * 64);
    expect(encoded.stderr).toMatch(
      name === 'colbert' ? /about 64 texts, up to [\d.]+ MB of vectors/ : /about 64 texts, [\d.]+ MB/,
    );
  },
);
