import { expect, test } from 'vitest';
import type { Document } from '../../data/index.js';
import { numberSources } from './number-sources.js';

/** Passages of files, by how many each has, and documents that stand alone. */
function passages(
  sizes: readonly number[],
  alone = 0,
): { count: number; documents(): AsyncGenerator<Document> } {
  const paths = sizes.flatMap((size, file) => Array.from({ length: size }, () => `${file}.md`));
  return {
    count: paths.length + alone,
    async *documents() {
      for (const [i, path] of paths.entries()) yield { id: String(i), text: '', metadata: { path } };
      for (let i = 0; i < alone; i++) yield { id: `alone-${i}`, text: '' };
    },
  };
}

const numbers = async (dataset: ReturnType<typeof passages>): Promise<number[]> => [
  ...(await numberSources(dataset, dataset.count)),
];

test('passages of a file have the number of its first, others their own', async () => {
  expect(await numbers(passages([3, 2], 2))).toEqual([0, 0, 0, 3, 3, 5, 6]);
});

test('a file that is most of a collection is cut into stretches', async () => {
  expect(await numbers(passages([1, 18, 2]))).toEqual([
    0, 1, 1, 1, 1, 1, 1, 1, 1, 9, 9, 9, 9, 9, 9, 9, 9, 17, 17, 19, 19,
  ]);
  expect(await numbers(passages([20, 20]))).toEqual([...Array(20).fill(0), ...Array(20).fill(20)]);
});
