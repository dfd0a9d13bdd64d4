import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gather, type MemoryData, memoryDataset } from '../data.fixture.js';
import { openDataset } from '../open.js';
import { validateDataset } from '../validate.js';
import { writeBeir } from './beir.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-beir-'));
});
afterEach(() => rm(folder, { recursive: true }));

const id = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
  .map((text) => `i${text.replace(/[\t\n\r]/g, '_')}`);
const text = fc.string({ unit: 'grapheme', maxLength: 80 });
const metadata = fc.dictionary(
  fc.string({ maxLength: 8 }).map((key) => `m${key}`),
  fc.jsonValue({ noUnicodeString: false }),
  {
    minKeys: 1,
    maxKeys: 3,
  },
);
const record = fc.record({ id, title: text, text, metadata: fc.option(metadata, { nil: undefined }) });

const collection: fc.Arbitrary<MemoryData> = fc
  .record({
    documents: fc.uniqueArray(record, { selector: (each) => each.id, minLength: 1, maxLength: 12 }),
    queries: fc.uniqueArray(record, { selector: (each) => each.id, minLength: 1, maxLength: 6 }),
    scored: fc.boolean(),
  })
  .map(({ documents, queries, scored }) => {
    const scoredId = (index: number): { id: string; score?: number } => ({
      id: documents[index % documents.length].id,
      ...(scored && { score: index / 4 }),
    });
    const judged = queries.map((query, i): [string, Record<string, number>] => [
      query.id,
      { [scoredId(i).id]: 1 + (i % 3) },
    ]);
    return {
      documents,
      queries: queries.map(({ title, ...query }) => query),
      qrels: { train: Object.fromEntries(judged), dev: Object.fromEntries(judged.slice(0, 1)) },
      examples: {
        train: queries.map((query, i) => ({
          queryId: query.id,
          positives: [scoredId(i)],
          negatives: [scoredId(i + 1), scoredId(i + 2)],
        })),
      },
    };
  });

test('what is written is read back, plain and gzip', async () => {
  await fc.assert(
    fc.asyncProperty(collection, fc.boolean(), async (data, gzip) => {
      const out = join(folder, 'out');
      const counts = await writeBeir(memoryDataset(data), out, { gzip, overwrite: true });
      expect(counts).toMatchObject({
        documents: data.documents.length,
        queries: data.queries.length,
        dangling: 0,
      });
      expect(clean(await gather(await openDataset(out)))).toEqual(clean(data));
    }),
    { numRuns: 40, seed: 1 },
  );
});

/** JSON knows neither undefined nor −0. */
function clean(data: MemoryData): unknown {
  return JSON.parse(JSON.stringify(data));
}

test('an import that fails leaves nothing behind', async () => {
  const dataset = memoryDataset({ documents: [], queries: [], qrels: {} });
  const out = join(folder, 'out');
  await expect(writeBeir(dataset, out)).rejects.toThrow(/no documents/);
  async function* failing() {
    yield { id: '1', text: 'one' };
    throw new Error('the disk went away');
  }
  await expect(writeBeir({ ...dataset, documents: failing }, out)).rejects.toThrow(/the disk went away/);
  expect(await readdir(folder)).toEqual([]);
});

test('a folder that exists is kept unless it may be overwritten', async () => {
  const data = { documents: [{ id: '1', text: 'one' }], queries: [], qrels: {} };
  const out = join(folder, 'out');
  await writeBeir(memoryDataset(data), out);
  await expect(writeBeir(memoryDataset(data), out)).rejects.toThrow(/already exists/);
  await writeBeir(memoryDataset({ ...data, documents: [{ id: '2', text: 'two' }] }), out, {
    overwrite: true,
  });
  expect((await gather(await openDataset(out))).documents[0].id).toBe('2');
  expect(await readdir(folder)).toEqual(['out']);
});

test('judgments that point nowhere are written, counted and found by validation', async () => {
  const out = join(folder, 'out');
  const counts = await writeBeir(
    memoryDataset({
      documents: [{ id: 'd', text: 'text' }],
      queries: [{ id: 'q', text: 'text' }],
      qrels: { test: { q: { d: 1, gone: 1 }, nobody: { d: 1 } } },
    }),
    out,
  );
  expect(counts.dangling).toBe(2);
  expect((await validateDataset(out)).codes).toEqual({ 'unknown-document': 1, 'unknown-query': 1 });
});
