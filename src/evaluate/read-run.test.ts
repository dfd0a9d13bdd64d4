import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NearmissError } from '../base/errors.js';
import { readQrels } from '../data/qrels.js';
import { type ReadRunOptions, readRun } from './read-run.js';
import { inRankOrder, makeRun, type Run } from './run.js';
import { writeRun } from './write-run.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-run-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(content: string | Buffer, options?: ReadRunOptions): Promise<Run> {
  const path = join(folder, 'run');
  await writeFile(path, content);
  return readRun(path, options);
}

const plain = (run: Run): object =>
  Object.fromEntries(
    [...run.rankings].map(([query, { ids, scores }]) => [query, ids.map((id, i) => [id, scores[i]])]),
  );

describe('formats', () => {
  test('TREC: any white space, any order, comments, junk after the tag, no newline at the end', async () => {
    const run = await read(
      '# made by hand\nq1 Q0 d1 1 2.5 old\n\n  q2\tQ0\td1\t1\t -1e-3\told\nq1 Q0 d2 9 .5 new and more',
    );
    expect(run.tag).toBe('new');
    expect(plain(run)).toEqual({
      q1: [
        ['d1', 2.5],
        ['d2', 0.5],
      ],
      q2: [['d1', -0.001]],
    });
  });

  test('gzip', async () => {
    expect(plain(await read(gzipSync('q Q0 d 1 1 t\n')))).toEqual({ q: [['d', 1]] });
  });

  test('infinite scores', async () => {
    const run = await read('q Q0 a 1 -inf t\nq Q0 b 1 Infinity t\n');
    expect(inRankOrder(run.rankings.get('q')!).ids).toEqual(['b', 'a']);
  });

  test('MS MARCO: the rank decides', async () => {
    expect(plain(await read('7\t100\t2\n7\t200\t1\n'))).toEqual({
      '7': [
        ['100', 0.5],
        ['200', 1],
      ],
    });
  });

  test('BEIR writes rank 0 everywhere: the score decides', async () => {
    const run = await read('q Q0 a 0 1.5 t\nq Q0 b 0 2.5 t\n');
    expect(inRankOrder(run.rankings.get('q')!).ids).toEqual(['b', 'a']);
  });

  test('by rank, whatever the scores', async () => {
    const run = await read('q Q0 a 2 9 t\nq Q0 b 1 0 t\n', { order: 'rank' });
    expect(inRankOrder(run.rankings.get('q')!).ids).toEqual(['b', 'a']);
  });

  test('single precision makes the ties of trec_eval 9', async () => {
    const text = 'q Q0 a 1 10.00000001 t\nq Q0 b 2 10 t\n';
    expect(inRankOrder((await read(text)).rankings.get('q')!).ids).toEqual(['a', 'b']);
    const single = await read(text, { singlePrecision: true });
    expect(inRankOrder(single.rankings.get('q')!).ids).toEqual(['b', 'a']);
  });
});

describe('errors name file, line, field and what to do', () => {
  test.each<[string, string, RegExp, ReadRunOptions?]>([
    ['missing columns', 'q Q0 d 1 1 t\nq Q0 d2 1 1\n', /run:2: expected 6 columns or 3, got 5$/],
    ['a qrels file', 'q 0 d 1\n', /run:1: expected 6 columns or 3, got 4$/],
    ['mixed formats', 'q Q0 d 1 1 t\nq d 2\n', /run:2: expected 6 columns as in the lines before, got 3$/],
    [
      'a score that is no number',
      'q Q0 d 1 high t\n',
      /run:1: field "score": expected a number, got "high"$/,
    ],
    ['NaN', 'q Q0 d 1 nan t\n', /run:1: field "score": expected a number, got "nan"$/],
    [
      'a rank that is none',
      'q\td\tfirst\n',
      /run:1: field "rank": expected a whole number from 1, got "first"$/,
    ],
    ['rank 0 when the rank decides', 'q Q0 d 0 1 t\n', /run:1: field "rank": .* got "0"$/, { order: 'rank' }],
    [
      'a document twice',
      'q Q0 d 1 3 t\nx Q0 d 1 2 t\nq Q0 d 2 1 t\n',
      /run:3: document "d" is listed twice for query "q", first in line 1$/,
    ],
    ['nothing', '\n\n', /run: no hits in this run$/],
    ['not UTF-8', 'q Q0 d 1 1 t\nq Q0 \xff 1 1 t\n', /run:2: not valid UTF-8$/],
  ])('%s', async (_, text, message, options) => {
    const error = await read(Buffer.from(text, 'latin1'), options).catch((caught) => caught);
    expect(error).toBeInstanceOf(NearmissError);
    expect(error.message).toMatch(message);
    expect(error.hint).toBeTruthy();
  });

  test('a missing file', async () => {
    await expect(readRun(join(folder, 'absent'))).rejects.toThrow(/absent: no such file/);
  });
});

describe('random bytes', () => {
  const token = fc.constantFrom(
    'q',
    'd1',
    ' ',
    '\t',
    '\n',
    '0',
    '1',
    '-2',
    '1e5',
    'inf',
    'Q0',
    '\r',
    '#',
    '{',
    '\ufeff',
    '\0',
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
    fc.array(token, { maxLength: 80 }).map((parts) => Buffer.from(parts.join(''))),
    fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.concat([Buffer.from([0x1f, 0x8b]), array])),
  );

  test.each([
    ['run', (path: string) => readRun(path)],
    ['run by rank', (path: string) => readRun(path, { order: 'rank' })],
    ['qrels', (path: string) => readQrels(path)],
  ])('%s: a result or a NearmissError', async (_, reader) => {
    const path = join(folder, 'fuzz');
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        await writeFile(path, content);
        const result = await reader(path).catch((error: unknown) => error);
        if (result instanceof Error) expect(result).toBeInstanceOf(NearmissError);
      }),
      { numRuns: 300 },
    );
  });
});

describe('writing', () => {
  const id = fc
    .string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
    .filter((text) => !/[\s#]/.test(text));
  const score = fc.double({ noNaN: true });
  const hits = fc.dictionary(
    id,
    fc.uniqueArray(fc.tuple(id, score), { minLength: 1, maxLength: 8, selector: ([name]) => name }),
    { minKeys: 1, maxKeys: 5, noNullPrototype: true },
  );

  test('what was written is read back, number for number', async () => {
    const path = join(folder, 'written');
    await fc.assert(
      fc.asyncProperty(hits, async (made) => {
        const run = makeRun('tag', made);
        await writeRun(path, run);
        const back = await readRun(path);
        expect(back.tag).toBe('tag');
        expect([...back.rankings.keys()].sort()).toEqual([...run.rankings.keys()].sort());
        for (const [query, ranking] of run.rankings) {
          const ordered = inRankOrder(ranking);
          const kept = back.rankings.get(query)!;
          expect(kept.ids).toEqual(ordered.ids);
          // -0 is written as 0, which is the same number.
          expect([...kept.scores].every((value, i) => value === ordered.scores[i])).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });

  test('bytes do not depend on the order of the input', async () => {
    const path = join(folder, 'bytes');
    const write = async (run: Run, format?: 'trec' | 'msmarco'): Promise<string> => {
      await writeRun(path, run, { format, depth: 2 });
      return readFile(path, 'utf8');
    };
    const run = makeRun('t', {
      q2: [['a', 1]],
      q10: [
        ['a', 1],
        ['c', 0.1],
        ['b', 1 / 3],
      ],
    });
    const other = makeRun('t', {
      q10: [
        ['b', 1 / 3],
        ['a', 1],
        ['c', 0.1],
      ],
      q2: [['a', 1]],
    });
    const expected = 'q10 Q0 a 1 1 t\nq10 Q0 b 2 0.3333333333333333 t\nq2 Q0 a 1 1 t\n';
    expect(await write(run)).toBe(expected);
    expect(await write(other)).toBe(expected);
    expect(await write(run, 'msmarco')).toBe('q10\ta\t1\nq10\tb\t2\nq2\ta\t1\n');
  });

  test('an id that would shift the columns is refused, and no file is left behind', async () => {
    const inside = await mkdtemp(join(folder, 'write-'));
    const attempt = writeRun(join(inside, 'run'), makeRun('t', { q: [['my doc', 1]] }));
    await expect(attempt).rejects.toThrow(/document id "my doc" cannot stand in a run file/);
    expect(await readdir(inside)).toEqual([]);
  });
});
