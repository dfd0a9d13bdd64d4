import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IdTable } from '../../data/id-table.js';
import { Random } from '../../engine/index.js';
import { stackRows } from '../../model/encoder/encoded-texts.js';
import { maxSim } from '../../model/scorer/max-sim.js';
import { changeDocumentIndex } from '../change-documents.js';
import type { DocumentIndex } from '../vectors/document-index.js';
import { openDocumentIndex } from '../vectors/open.js';
import { writeDocumentIndex } from '../write-documents.js';
import type { TokenBits } from './residual-codec.js';
import type { TokenSource } from './write-token-index.js';

const SIZE = 16;
const session = { threads: 1 };

export interface TokenDocument {
  id: string;
  rows: Float32Array;
}

/** Rows of length 1 around some directions, as the tokens of a language lie. */
export function tokenDocuments(count: number, seed: number, prefix = 'd'): TokenDocument[] {
  const words = Random.from(11, 'words');
  const directions = Array.from({ length: 60 }, () => Array.from({ length: SIZE }, () => words.normal()));
  const random = Random.from(seed, 'documents');
  return Array.from({ length: count }, (_, i) => {
    const tokens = 1 + ((i * 7) % 12);
    const rows = new Float32Array(tokens * SIZE);
    for (let row = 0; row < tokens; row++) {
      const word = directions[random.integer(directions.length)];
      const values = word.map((value) => value + 0.25 * random.normal());
      const length = Math.hypot(...values);
      rows.set(
        values.map((value) => value / length),
        row * SIZE,
      );
    }
    return { id: `${prefix}${i}`, rows };
  });
}

/** Documents as they are written; blocks do not end where documents do. */
export function tokenSource(documents: readonly TokenDocument[]): TokenSource {
  const { vectors, offsets } = stackRows(
    documents.map(({ rows }) => rows),
    SIZE,
  );
  const ids = new IdTable();
  for (const { id } of documents) ids.add(id);
  return {
    offsets,
    ids,
    async *blocks() {
      for (let start = 0; start < vectors.length; start += 37 * SIZE) {
        yield vectors.slice(start, start + 37 * SIZE);
      }
    },
  };
}

export async function writeTokens(
  folder: string,
  documents: readonly TokenDocument[],
  bits: TokenBits | 'exact',
): Promise<void> {
  await writeDocumentIndex(folder, tokenSource(documents), {
    dimension: SIZE,
    scorer: 'max-sim',
    bits,
    session,
  });
}

/** What every index of tokens must do, however it keeps them. */
export function describeTokenIndex(
  name: string,
  { bits, overlapWithTruth }: { bits: TokenBits | 'exact'; overlapWithTruth: number },
): void {
  const first = tokenDocuments(300, 1);
  const later = tokenDocuments(80, 2, 'e');
  const queries = tokenDocuments(10, 3, 'q').map(({ rows }) => rows);
  const stacked = stackRows(queries, SIZE);

  /** Ids of the best documents of each query, best first. */
  const found = async (
    index: DocumentIndex,
    k: number,
    options: { among?: Uint8Array; exhaustive?: boolean } = {},
  ) => {
    const { ids } = await index.search(stacked.vectors, { k, queryOffsets: stacked.offsets, ...options });
    return queries.map((_, query) =>
      [...ids.subarray(query * k, (query + 1) * k)].flatMap((id) => (id < 0 ? [] : [index.ids!.idAt(id)])),
    );
  };
  const truth = (documents: readonly TokenDocument[], k: number): string[][] =>
    queries.map((query) => {
      const scored = documents.map(({ id, rows }, i) => ({
        id,
        i,
        score: Math.fround(maxSim(query, rows, SIZE)),
      }));
      return scored
        .sort((a, b) => b.score - a.score || a.i - b.i)
        .slice(0, k)
        .map(({ id }) => id);
    });
  const overlap = (a: string[][], b: string[][]): number =>
    a.reduce((sum, ids, i) => sum + ids.filter((id) => b[i].includes(id)).length / b[i].length, 0) / a.length;

  describe(`token index: ${name}`, () => {
    let root: string;
    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), 'nearmiss-token-index-'));
      await writeTokens(join(root, 'plain'), first, bits);
    });
    afterAll(() => rm(root, { recursive: true, force: true }));

    /** An index with these documents, however it came about, finds what it must. */
    const expectToFind = async (folder: string, documents: readonly TokenDocument[]): Promise<void> => {
      for (const access of ['memory', 'disk'] as const) {
        const index = await openDocumentIndex(folder, { session, access });
        expect(index.count).toBe(documents.length);
        const all = await found(index, Math.max(1, documents.length));
        for (const ids of all) expect(ids.toSorted()).toEqual(documents.map(({ id }) => id).toSorted());
        const compared = await found(index, 10, { exhaustive: true });
        if (documents.length > 0) {
          expect(overlap(compared, truth(documents, 10))).toBeGreaterThanOrEqual(overlapWithTruth);
          expect(overlap(await found(index, 10), compared)).toBeGreaterThan(0.95);
        }
        await index.close();
      }
    };

    test('finds what brute force finds, from memory and from disk', () =>
      expectToFind(join(root, 'plain'), first));

    test('documents that are added, removed and replaced', async () => {
      const folder = join(root, 'changed');
      await writeTokens(folder, first, bits);
      expect(await changeDocumentIndex(folder, { add: tokenSource(later) }, { session })).toMatchObject({
        removed: 0,
        added: 80,
      });
      await expectToFind(folder, [...first, ...later]);
      const gone = [...first, ...later].filter((_, i) => i % 3 === 0);
      const left = [...first, ...later].filter((_, i) => i % 3 !== 0);
      await changeDocumentIndex(folder, { remove: gone.map(({ id }) => id) }, { session });
      await expectToFind(folder, left);
      const replaced = left.slice(0, 50).map(({ id }, i) => ({ id, rows: first[299 - i].rows }));
      await changeDocumentIndex(
        folder,
        { remove: replaced.map(({ id }) => id), add: tokenSource(replaced) },
        { session },
      );
      await expectToFind(folder, [...left.slice(50), ...replaced]);
      await changeDocumentIndex(folder, { remove: [...left.slice(50), ...replaced].map(({ id }) => id) });
      await expectToFind(folder, []);
      await changeDocumentIndex(folder, { add: tokenSource(later) }, { session });
      await expectToFind(folder, later);
      expect(
        (await readdir(root)).filter((other) => other.startsWith('.') || other.endsWith('.lock')),
      ).toEqual([]);
    });

    test('whoever has it open goes on reading what was there', async () => {
      const folder = join(root, 'open');
      await writeTokens(folder, first, bits);
      const index = await openDocumentIndex(folder, { session, access: 'disk' });
      const before = await found(index, 5);
      await changeDocumentIndex(folder, { remove: first.slice(0, 200).map(({ id }) => id) });
      expect(await found(index, 5)).toEqual(before);
      await index.close();
    });

    test('of documents that a filter lets through, the best', async () => {
      const index = await openDocumentIndex(join(root, 'plain'), { session });
      for (const step of [2, 37, 1000]) {
        const among = Uint8Array.from(first, (_, i) => Number(i % step === 1));
        const allowed = first.filter((_, i) => among[i]);
        const some = await found(index, 5, { among });
        expect(some).toEqual(await found(index, 5, { among, exhaustive: true }));
        expect(overlap(some, truth(allowed, 5))).toBeGreaterThanOrEqual(Math.min(overlapWithTruth, 0.85));
        for (const ids of some) expect(ids.length).toBe(Math.min(5, allowed.length));
      }
      await index.close();
    });

    test.each([1, 4, 12])('of only %i documents all score as they do', async (count) => {
      const folder = join(root, `few-${count}`);
      const few = first.slice(0, count);
      await writeTokens(folder, few, bits);
      const index = await openDocumentIndex(folder, { session });
      for (const exhaustive of [false, true]) {
        const options = { k: count, queryOffsets: stacked.offsets, exhaustive };
        const { ids, scores } = await index.search(stacked.vectors, options);
        queries.forEach((query, q) => {
          for (let rank = q * count; rank < (q + 1) * count; rank++) {
            const truth = maxSim(query, few[ids[rank]].rows, SIZE);
            expect(Math.abs(scores[rank] - truth)).toBeLessThan(0.1 * (query.length / SIZE));
          }
        });
      }
      await index.close();
    });

    test('documents without rows are there and never found', async () => {
      const folder = join(root, 'bare');
      const bare = [1, 5, 7].map((i) => ({ id: `d${i}`, rows: new Float32Array(0) }));
      const some = first.slice(0, 8).map((document) => bare.find(({ id }) => id === document.id) ?? document);
      await writeTokens(folder, some, bits);
      for (const gone of [undefined, 'd0']) {
        if (gone) await changeDocumentIndex(folder, { remove: [gone] }, { session });
        const index = await openDocumentIndex(folder, { session });
        for (const exhaustive of [false, true]) {
          for (const ids of await found(index, 10, { exhaustive })) {
            expect(ids.toSorted()).toEqual(['d0', 'd2', 'd3', 'd4', 'd6'].filter((id) => id !== gone));
          }
        }
        await index.close();
      }
    });

    test('nobody at all is searched, too', async () => {
      const folder = join(root, 'nobody');
      await writeTokens(folder, [], bits);
      const index = await openDocumentIndex(folder, { session });
      expect(await found(index, 3)).toEqual(queries.map(() => []));
      await index.close();
    });

    test.each([
      ['fewer', 30 * SIZE, /rows: expected 48, as the offsets of documents say, got 30$/],
      ['more', 50 * SIZE, /rows: expected 48, as the offsets of documents say, got 50 or more$/],
    ])('%s rows than documents have are refused', async (name, numbers, message) => {
      const source = tokenSource(later.slice(0, 8));
      const rows = new Float32Array(numbers).fill(0.25);
      const wrong = {
        ...source,
        blocks: async function* () {
          yield rows;
        },
      };
      const options = { dimension: SIZE, scorer: 'max-sim', bits, session };
      const folder = join(root, `told-${name}`);
      await expect(writeDocumentIndex(folder, wrong, options)).rejects.toThrow(message);
      await writeTokens(folder, first.slice(0, 20), bits);
      await expect(changeDocumentIndex(folder, { add: wrong }, { session })).rejects.toThrow(message);
      await expectToFind(folder, first.slice(0, 20));
    });

    test('what cannot be changed is told, and nothing changes', async () => {
      const folder = join(root, 'refused');
      await writeTokens(folder, first.slice(0, 20), bits);
      await expect(changeDocumentIndex(folder, { remove: ['nobody'] })).rejects.toThrow(
        `${folder}: there is no document "nobody" to remove`,
      );
      await expect(changeDocumentIndex(folder, { add: tokenSource(first.slice(3, 4)) })).rejects.toThrow(
        `${folder}: the document "d3" is there already`,
      );
      const abort = AbortSignal.abort(new Error('enough'));
      await expect(
        changeDocumentIndex(folder, { add: tokenSource(later) }, { session, signal: abort }),
      ).rejects.toThrow('enough');
      await expectToFind(folder, first.slice(0, 20));
    });

    test('files that are cut off are named, when it is opened and when it is changed', async () => {
      const plain = join(root, 'plain');
      for (const file of (await readdir(plain)).filter(
        (other) => other.endsWith('.bin') || other === 'ids.txt',
      )) {
        const folder = join(root, `cut-${file}`);
        await writeTokens(folder, first, bits);
        await truncate(join(folder, file), 3);
        const message = new RegExp(`${dirname(folder)}.*${file}: expected \\d+ bytes, got 3`);
        await expect(openDocumentIndex(folder, { session })).rejects.toThrow(message);
        await expect(changeDocumentIndex(folder, { remove: ['d0'] })).rejects.toThrow(message);
      }
    });
  });
}
