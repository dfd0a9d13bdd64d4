import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { DocumentFilter } from './filter.js';
import { type FilterableDocuments, FilteredDocuments } from './filtered-documents.js';

/** Documents in memory that count how often they were read through. */
function collection(
  count: number,
  onRead: (n: number) => void = () => undefined,
): FilterableDocuments & { passes: number } {
  return {
    passes: 0,
    count,
    indexOf: (id) => Number(id),
    async *metadata() {
      this.passes++;
      for (let n = 0; n < count; n++) {
        onRead(n);
        yield { n };
      }
    },
  };
}

/** What is left when garbage has been collected, which otherwise comes when it comes. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/** As slow as a filter may be: nothing of it is asked together, and nothing matches early. */
const SLOW: DocumentFilter = { $or: Array.from({ length: 1000 }, (_, i) => ({ n: { $gt: 1e9 + i } })) };

test('what was asked before is known; another filter is another pass', async () => {
  const documents = collection(100);
  const filters = new FilteredDocuments(documents);
  const even: DocumentFilter = { n: { $in: [2, 4] } };
  const [first, second] = await Promise.all([filters.allowed(even), filters.allowed({ ...even })]);
  expect(second).toBe(first);
  expect([first!.count, first!.has('2'), first!.has('3')]).toEqual([2, true, false]);
  expect(documents.passes).toBe(1);
  expect((await filters.allowed({ n: 3 }))!.count).toBe(1);
  expect(documents.passes).toBe(2);
});

test('a slow filter lets others have their turns', async () => {
  const filters = new FilteredDocuments(collection(3000));
  let ticks = 0;
  let isOn = true;
  const tick = (): void => {
    ticks++;
    if (isOn) setImmediate(tick);
  };
  tick();
  const start = performance.now();
  expect((await filters.allowed(SLOW))!.count).toBe(0);
  const took = performance.now() - start;
  isOn = false;
  expect(took).toBeGreaterThan(10);
  // A turn is some milliseconds, more on a busy machine; in one piece there would be a tick or two.
  expect(ticks).toBeGreaterThan(Math.min(20, took / 50));
});

test('a pass that nobody wants any more ends; whoever else waits for it gets an answer', async () => {
  const leaving = new AbortController();
  const documents = collection(3000, (n) => {
    if (n === 10) leaving.abort(new Error('not wanted any more'));
  });
  const filters = new FilteredDocuments(documents);
  const gone = filters.allowed(SLOW, leaving.signal);
  const other = filters.allowed(SLOW);
  await expect(gone).rejects.toThrow('not wanted any more');
  expect((await other)!.count).toBe(0);
  expect(documents.passes).toBe(2);
  await expect(filters.allowed(SLOW, leaving.signal)).rejects.toThrow();
});

test('large filters are refused, not kept', async () => {
  const documents = collection(10);
  const filters = new FilteredDocuments(documents);
  const large: DocumentFilter = { n: { $in: ['x'.repeat(8_000_000)] } };
  await expect(filters.allowed(large)).rejects.toThrow('at most 500000 characters');
  expect(documents.passes).toBe(0);
  const before = heapInUse();
  for (let i = 0; i < 400; i++) await filters.allowed({ n: { $in: [`${i}${'x'.repeat(400_000)}`] } });
  // Kept with their texts they would be 160 MB.
  expect(heapInUse() - before).toBeLessThan(100e6);
});
