import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Batcher } from './batcher.js';

/** Doubles numbers, a batch each time the event loop goes round, and remembers which came together. */
function doubling(options: { budget: number; cost?: (n: number) => number; key?: (n: number) => unknown }): {
  batcher: Batcher<number, number>;
  batches: number[][];
} {
  const batches: number[][] = [];
  const run = async (items: number[]): Promise<number[]> => {
    batches.push(items);
    await setImmediate();
    if (items.includes(13)) throw new Error('unlucky');
    return items.map((item) => 2 * item);
  };
  return { batcher: new Batcher({ run, ...options }), batches };
}

/** Behind all microtasks, before the event loop goes round. */
function firstBatchBegun(): Promise<void> {
  return new Promise((done) => process.nextTick(done));
}

test('an item alone starts at once; what comes meanwhile goes together', async () => {
  const { batcher, batches } = doubling({ budget: 10 });
  const first = batcher.add(1);
  await firstBatchBegun();
  const rest = [2, 3, 4].map((n) => batcher.add(n));
  expect(batcher.waiting).toBe(3);
  expect(await Promise.all([first, ...rest])).toEqual([2, 4, 6, 8]);
  expect(batches).toEqual([[1], [2, 3, 4]]);
});

test('batches keep to the budget and the order; one item may exceed it', async () => {
  const { batcher, batches } = doubling({ budget: 5, cost: (n) => n });
  expect(await batcher.addAll([2, 3, 9, 1, 4, 1])).toEqual([4, 6, 18, 2, 8, 2]);
  expect(batches).toEqual([[2, 3], [9], [1, 4], [1]]);
});

test('only items of a kind go together, and nobody is overtaken by their own kind', async () => {
  const { batcher, batches } = doubling({ budget: 2, key: (n) => n % 2 });
  const added = [1, 2, 3, 5, 4].map((n) => batcher.add(n));
  expect(await Promise.all(added)).toEqual([2, 4, 6, 10, 8]);
  expect(batches).toEqual([[1, 3], [2, 4], [5]]);
});

test('calls take turns: one item does not wait for all of a long list', async () => {
  const { batcher, batches } = doubling({ budget: 4 });
  const many = Array.from({ length: 3 }, (_, i) => batcher.addAll(new Array(40).fill(i)));
  await firstBatchBegun();
  const started = batches.length;
  expect(await batcher.add(100)).toBe(200);
  expect(batches.length - started).toBeLessThanOrEqual(2);
  expect((await Promise.all(many)).map((results) => results.length)).toEqual([40, 40, 40]);
  // Each had its share of every full batch but those in which another was first.
  for (const batch of batches.slice(1, 20)) expect(new Set(batch).size).toBeGreaterThanOrEqual(3);
});

test('what nobody waits for any more is not worked on', async () => {
  const { batcher, batches } = doubling({ budget: 2 });
  const leaving = new AbortController();
  const gone = batcher.addAll(new Array(50).fill(1), { signal: leaving.signal });
  const other = batcher.addAll([2, 3, 4]);
  await firstBatchBegun();
  leaving.abort(new Error('gone'));
  await expect(gone).rejects.toThrow('gone');
  await expect(batcher.add(1, { signal: leaving.signal })).rejects.toThrow('gone');
  expect(await other).toEqual([4, 6, 8]);
  expect(batcher.waiting).toBe(0);
  expect(batches.flat().filter((n) => n === 1).length).toBeLessThanOrEqual(2);
});

test('a failure is told to those in the batch; the next goes on', async () => {
  const { batcher } = doubling({ budget: 1 });
  const results = await Promise.allSettled([batcher.add(13), batcher.add(2)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

test('closing refuses what waits and what comes', async () => {
  const { batcher } = doubling({ budget: 1 });
  const first = batcher.add(1);
  await firstBatchBegun();
  const second = batcher.add(2).catch((error: Error) => error.message);
  batcher.close();
  expect(await first).toBe(2);
  expect(await second).toContain('closed');
  await expect(batcher.add(3)).rejects.toThrow('closed');
});
