import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentImpacts } from '../../model/scorer/impact.js';
import { scorers } from '../../model/scorer/kinds.js';
import { IndexFolder } from '../vectors/index-folder.js';
import { openDocumentIndex } from '../vectors/open.js';
import { writeDocumentIndex } from '../write-documents.js';
import { ImpactIndex } from './impact-index.js';
import { impactRows } from './impact-rows.js';

let root: string;
let made = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'nearmiss-impacts-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Weights in hundredths, which an index keeps as they are; some are not above 0 and stand for nothing. */
const row = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: -50, max: 400 }));
const texts = (most: number) =>
  fc.array(fc.array(row, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: most });

const flat = (rows: readonly (readonly [number, number])[]): Float32Array =>
  Float32Array.from(rows.flatMap(([term, hundredths]) => [term, hundredths / 100]));
const offsetsOf = (lists: readonly (readonly unknown[])[]): Uint32Array => {
  const offsets = new Uint32Array(lists.length + 1);
  lists.forEach(({ length }, i) => {
    offsets[i + 1] = offsets[i] + length;
  });
  return offsets;
};

async function indexOf(documents: readonly (readonly [number, number])[][], cut = Number.POSITIVE_INFINITY) {
  const folder = join(root, `index-${made++}`);
  const rows = flat(documents.flat());
  const source = {
    offsets: offsetsOf(documents),
    async *blocks() {
      for (let at = 0; at < rows.length; at += 2 * cut)
        yield rows.slice(at, Math.min(rows.length, at + 2 * cut));
    },
  };
  await writeDocumentIndex(folder, source, { dimension: 2, scorer: 'impact' });
  return { folder, index: await openDocumentIndex(folder) };
}

describe('an index of impacts', () => {
  test('gives back the weights of each document', async () => {
    const random = (document: number, term: number): number => (document * 7919 + term * 104_729) % 997;
    // Of terms there are some with one posting, with one block of them, and with several.
    const documents = Array.from({ length: 700 }, (_, document) =>
      Array.from({ length: 6 }, (_, i): [number, number] => [
        i === 0 ? 1000 + document : (random(document, i) % (10 * i)) + 20 * i,
        1 + (random(document, i) % 300),
      ]),
    );
    const { folder } = await indexOf(documents);
    const { offsets, rows } = impactRows(await ImpactIndex.open(await IndexFolder.open(folder)));
    documents.forEach((own, document) => {
      const got = rows.subarray(2 * offsets[document], 2 * offsets[document + 1]);
      const sorted = (impacts: Map<number, number>): [number, number][] =>
        [...impacts]
          .map(([term, weight]): [number, number] => [term, Math.fround(weight)])
          .sort(([a], [b]) => a - b);
      expect(sorted(documentImpacts(got))).toEqual(sorted(documentImpacts(flat(own))));
    });
  });

  test('finds what the scorer says, pruned as exhaustively, in blocks of any size', async () => {
    const { score } = scorers.get('impact').create({});
    await fc.assert(
      fc.asyncProperty(
        texts(30),
        texts(4),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 40 }),
        async (documents, queries, k, cut) => {
          const { index } = await indexOf(documents, cut);
          const asked = flat(queries.flat());
          const options = { k, queryOffsets: offsetsOf(queries) };
          const pruned = await index.search(asked, options);
          const exhaustive = await index.search(asked, { ...options, exhaustive: true });
          expect(pruned).toEqual(exhaustive);
          queries.forEach((query, q) => {
            const expected = documents
              .map((document, id) => ({ id, score: score(flat(query), flat(document), 2) }))
              .filter(({ score }) => score > 0)
              .sort((a, b) => b.score - a.score || a.id - b.id)
              .slice(0, k);
            const found = Array.from(pruned.ids.subarray(q * k, q * k + k)).filter((id) => id >= 0);
            expect(found).toHaveLength(expected.length);
            found.forEach((id, rank) => {
              const scored = score(flat(query), flat(documents[id]), 2);
              expect(pruned.scores[q * k + rank]).toBeCloseTo(scored, 3);
              // Ties in exact arithmetic may differ in the last digits here.
              expect(scored).toBeCloseTo(expected[rank].score, 3);
            });
          });
        },
      ),
      { numRuns: 40, seed: 11 },
    );
  });

  test('a damaged one names the file and what to do', async () => {
    const { folder } = await indexOf([[[1, 100]], [[2, 50]]]);
    await appendFile(join(folder, 'postings', 'postings.bin'), 'x');
    await expect(openDocumentIndex(folder, { remedy: 'make it again' })).rejects.toMatchObject({
      message: expect.stringContaining('postings.bin'),
      hint: 'make it again',
    });
  });

  test('is replaced when asked to, but not where something else lies inside', async () => {
    const { folder } = await indexOf([[[1, 100]]]);
    const source = {
      offsets: Uint32Array.of(0, 1),
      blocks: async function* () {
        yield Float32Array.of(3, 1);
      },
    };
    const options = { dimension: 2, scorer: 'impact', overwrite: true };
    await writeDocumentIndex(folder, source, options);
    const index = await openDocumentIndex(folder);
    expect([...(await index.search(Float32Array.of(3, 2), { k: 1 })).scores]).toEqual([2]);
    await writeFile(join(folder, 'postings', 'mine.txt'), 'mine');
    await expect(writeDocumentIndex(folder, source, options)).rejects.toThrow('mine.txt');
  });
});
