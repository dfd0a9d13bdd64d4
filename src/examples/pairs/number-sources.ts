import type { Dataset } from '../../data/index.js';
import { sourceKey } from './sources.js';

/**
 * Where one file is most of a collection, so many of its passages in a row are taken for a file: were all of them one, nothing
 * would be left that is not the answer.
 */
const STRETCH = 8;

/**
 * For each document the number of the first one that was written as one with it: of the same file, or with the same title. Four
 * bytes a document.
 */
export async function numberSources(dataset: Pick<Dataset, 'documents'>, count: number): Promise<Int32Array> {
  const numbers = new Int32Array(count);
  const sizes = new Int32Array(count);
  const known = new Map<string, number>();
  let document = 0;
  for await (const each of dataset.documents()) {
    const key = sourceKey(each);
    const number = key === undefined ? document : (known.get(key) ?? document);
    if (key !== undefined) known.set(key, number);
    numbers[document++] = number;
    sizes[number]++;
  }
  const most = sizes.findIndex((size) => 2 * size > count);
  if (most >= 0) cutIntoStretches(numbers, most);
  return numbers;
}

function cutIntoStretches(numbers: Int32Array, source: number): void {
  let first = source;
  let nth = 0;
  numbers.forEach((number, document) => {
    if (number !== source) return;
    if (nth++ % STRETCH === 0) first = document;
    numbers[document] = first;
  });
}
