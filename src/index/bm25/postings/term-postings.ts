import type { Bm25Index } from '../bm25-index.js';
import { BLOCK_ROW } from '../layout.js';
import { BLOCK_SIZE, decodeDocuments, decodeFrequencies } from './block-codec.js';
import { impactFrequency } from './impacts.js';

/** Goes through all postings of a term, in the order of documents. */
export function forEachPosting(
  { terms, blocks, postings, impacts }: Bm25Index,
  term: number,
  visit: (document: number, frequency: number) => void,
): void {
  const [documents, frequencies] = [new Int32Array(BLOCK_SIZE), new Int32Array(BLOCK_SIZE)];
  let left = terms.documentFrequency(term);
  const first = terms.firstBlock(term);
  if (left === 1) {
    // A single posting has no block of its own.
    const row = first * BLOCK_ROW.width;
    const impact = impacts[blocks[row + BLOCK_ROW.firstImpact]];
    visit(blocks[row + BLOCK_ROW.lastDocument], impactFrequency(impact));
    return;
  }
  for (let block = first; left > 0; block++) {
    const row = block * BLOCK_ROW.width;
    const count = Math.min(BLOCK_SIZE, left);
    const previous = block === first ? -1 : blocks[row - BLOCK_ROW.width + BLOCK_ROW.lastDocument];
    const word = blocks[row + BLOCK_ROW.firstWord];
    decodeDocuments(postings, word, count, previous, documents);
    decodeFrequencies(postings, word, count, frequencies);
    for (let i = 0; i < count; i++) visit(documents[i], frequencies[i]);
    left -= count;
  }
}
