import type { EncodedTexts } from '../../model/encoder/encoded-texts.js';

/** Rows of some documents with neighbouring numbers. */
export interface DocumentRows {
  /** The number of the first. */
  first: number;
  count: number;
  rows: EncodedTexts;
}

/** A batch is full with so many numbers, or documents. */
const [MOST_NUMBERS, MOST_DOCUMENTS] = [2 ** 20, 1000];

/** Cuts rows that come in blocks of any size into whole documents. */
export async function* documentBatches(
  blocks: AsyncIterable<Float32Array>,
  offsets: Uint32Array,
  dimension: number,
): AsyncGenerator<DocumentRows> {
  const documents = offsets.length - 1;
  const mostRows = Math.max(1, Math.floor(MOST_NUMBERS / dimension));
  const reader = blocks[Symbol.asyncIterator]();
  let block = new Float32Array(0);
  const take = async (target: Float32Array): Promise<void> => {
    for (let filled = 0; filled < target.length; ) {
      if (block.length === 0) {
        const next = await reader.next();
        if (next.done) throw new Error(`expected ${offsets[documents]} rows, got fewer`);
        block = new Float32Array(next.value);
        continue;
      }
      const part = block.subarray(0, target.length - filled);
      target.set(part, filled);
      filled += part.length;
      block = block.subarray(part.length);
    }
  };
  for (let first = 0; first < documents; ) {
    let end = first + 1;
    while (end < documents && end - first < MOST_DOCUMENTS && offsets[end + 1] - offsets[first] <= mostRows)
      end++;
    const own = offsets.subarray(first, end + 1).map((offset) => offset - offsets[first]);
    const vectors = new Float32Array(own[end - first] * dimension);
    await take(vectors);
    yield { first, count: end - first, rows: { vectors, offsets: own } };
    first = end;
  }
}
