import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Batcher } from './batching.js';

/** Doubles numbers, slowly, and remembers which came together. */
function doubling(options: { budget: number; cost?: (n: number) => number; key?: (n: number) => unknown }): {
  batcher: Batcher<number, number>;
  batches: number[][];
} {
  const batches: number[][] = [];
  const run = async (items: number[]): Promise<number[]> => {
    batches.push(items);
    await sleep(5);
    if (items.includes(13)) throw new Error('unlucky');
    return items.map((item) => 2 * item);
  };
  return { batcher: new Batcher({ run, ...options }), batches };
}

test('an item alone starts at once; what comes meanwhile goes together', async () => {
  const { batcher, batches } = doubling({ budget: 10 });
  const first = batcher.add(1);
  await sleep(1);
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
  expect(await batcher.addAll([1, 2, 3, 5, 4])).toEqual([2, 4, 6, 10, 8]);
  expect(batches).toEqual([[1, 3], [2, 4], [5]]);
});

test('a failure is told to those in the batch; the next goes on', async () => {
  const { batcher } = doubling({ budget: 1 });
  const results = await Promise.allSettled([batcher.add(13), batcher.add(2)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

test('closing refuses what waits and what comes', async () => {
  const { batcher } = doubling({ budget: 1 });
  const first = batcher.add(1);
  await sleep(1);
  const second = batcher.add(2).catch((error: Error) => error.message);
  batcher.close();
  expect(await first).toBe(2);
  expect(await second).toContain('closed');
  await expect(batcher.add(3)).rejects.toThrow('closed');
});
