import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeDirectoryAtomic } from '../base/files.js';
import { writeCrossEncoder } from './cross-encoder.fixture.js';
import {
  fillLabelFolder,
  label,
  meanOfNormalized,
  PairScorer,
  readLabelFolder,
  ScoreCache,
  type ScoringProgress,
} from './index.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-teacher-'));
  await writeCrossEncoder(join(folder, 'model'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('scores that are kept', () => {
  const open = (name: string): Promise<ScoreCache> => ScoreCache.open('f'.repeat(64), join(folder, name));
  const filesOf = async (name: string): Promise<string[]> => {
    const [only] = await readdir(join(folder, name));
    return (await readdir(join(folder, name, only))).map((file) => join(folder, name, only, file));
  };

  test('are found again, as float32, and only what was flushed', async () => {
    const cache = await open('again');
    cache.set('q', 'd', 0.1);
    await cache.flush();
    cache.set('q', 'e', 2);
    expect(cache.get('q', 'e')).toBe(2);
    const again = await open('again');
    expect(again.get('q', 'd')).toBe(Math.fround(0.1));
    expect(again.get('q', 'e')).toBeUndefined();
    expect(again.get('qd', '')).toBeUndefined();
  });

  test('of another model are others', async () => {
    const cache = await ScoreCache.open('a'.repeat(64), join(folder, 'again'));
    expect(cache.size).toBe(0);
  });

  test('of two processes add up', async () => {
    const [one, other] = [await open('two'), await open('two')];
    one.set('q', 'a', 1);
    other.set('q', 'b', 2);
    await Promise.all([one.flush(), other.flush()]);
    const both = await open('two');
    expect([both.get('q', 'a'), both.get('q', 'b')]).toEqual([1, 2]);
  });

  test('in a damaged file are forgotten, not believed', async () => {
    const cache = await open('damaged');
    cache.set('q', 'a', 1);
    await cache.flush();
    const [file] = await filesOf('damaged');
    const content = await readFile(file);
    content[content.length - 1] ^= 1;
    await writeFile(file, content);
    expect((await open('damaged')).size).toBe(0);
    expect(await filesOf('damaged')).toEqual([]);
  });

  test('in many files become one', async () => {
    const cache = await open('many');
    for (let i = 0; i < 70; i++) {
      cache.set('q', String(i), i);
      await cache.flush();
    }
    expect((await open('many')).size).toBe(70);
    expect(await filesOf('many')).toHaveLength(1);
    expect((await open('many')).get('q', '69')).toBe(69);
  });
});

describe('a cross-encoder that remembers', () => {
  const pairs = [
    ['near', 'near miss'],
    ['a miss', 'a b'],
    ['near', 'miss'],
  ] as const;

  test('scores a pair once, whoever asks', async () => {
    const cache = join(folder, 'scores');
    const runs: { scores: Float32Array; tokens: number }[] = [];
    for (let time = 0; time < 2; time++) {
      const scorer = await PairScorer.open(join(folder, 'model'), { cache, session: { threads: 1 } });
      const told: ScoringProgress[] = [];
      const scores = await scorer.score(pairs, (progress) => void told.push(progress));
      runs.push({ scores, tokens: told.reduce((sum, { tokens }) => sum + tokens, 0) });
      await scorer.close();
    }
    expect(runs[0].tokens).toBeGreaterThan(10);
    expect(runs[1].tokens).toBe(0);
    expect(runs[1].scores).toEqual(runs[0].scores);
    expect(new Set(runs[0].scores).size).toBe(3);
  });

  test("labels a query's positives and its first candidates", async () => {
    const scorer = await PairScorer.open(join(folder, 'model'), { cache: join(folder, 'scores') });
    const texts = ['near miss', 'miss', 'a b', 'b near'];
    const labelled = [];
    for await (const list of label({
      scorers: [scorer, scorer],
      normalize: 'none',
      lists: [{ query: 0, ids: Int32Array.of(1, 3, 0, 2), scores: new Float32Array(4) }],
      depth: 2,
      positives: () => Int32Array.of(3),
      queryText: () => 'near',
      documentText: (document) => texts[document],
    })) {
      labelled.push(list);
    }
    const expected = await scorer.score([3, 1, 0].map((document) => ['near', texts[document]] as const));
    expect(labelled).toEqual([{ query: 0, documents: [3, 1, 0], scores: expected }]);
    await scorer.close();
  });
});

test.each([
  ['none', [2, 3, 7]],
  ['min-max', [0, 0.2, 1]],
  ['z-score', [-0.926, -0.463, 1.389]],
] as const)('the mean of two teachers, %s', (how, expected) => {
  const lists = [Float32Array.of(1, 2, 6), Float32Array.of(3, 4, 8)];
  const mean = meanOfNormalized(lists, how);
  expect([...mean].map((x) => Math.round(x * 1000) / 1000)).toEqual(expected);
  const same = meanOfNormalized([Float32Array.of(5, 5)], how);
  expect([...same].every(Number.isFinite)).toBe(true);
});

test('labels of another collection are refused', async () => {
  const path = join(folder, 'labels');
  const run = { tag: 't', rankings: new Map([['q', { ids: ['d'], scores: Float64Array.of(1) }]]) };
  await writeDirectoryAtomic(path, (partial) =>
    fillLabelFolder(partial, run, { dataFingerprint: 'one', teachers: [] }),
  );
  expect((await readLabelFolder(path, 'one')).rankings.get('q')!.scores[0]).toBe(1);
  await expect(readLabelFolder(path, 'other')).rejects.toThrow(
    'these scores were made for other documents or training queries',
  );
});
