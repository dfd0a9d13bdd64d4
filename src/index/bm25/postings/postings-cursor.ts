import type { Bm25Index } from '../bm25-index.js';
import { BLOCK_ROW } from '../layout.js';
import type { ScoreWindow } from '../score-window.js';
import { type PartTable, TABLE_FREQUENCIES } from '../similarity.js';
import { BLOCK_SIZE, decodeDocuments, decodeFrequencies, decodeFrequency } from './block-codec.js';
import { impactFrequency } from './impacts.js';

/** The document of a cursor that has passed its last one. */
const NO_MORE_DOCUMENTS = 0x7fff_ffff;

/**
 * Walks a term's postings in document order, decoding a block only when a document in it is asked for, and its
 * frequencies only when one of them is. Made once and reused from query to query.
 */
export class PostingsCursor {
  /** The document it stands on. */
  document = NO_MORE_DOCUMENTS;
  readonly #index: Bm25Index;
  readonly #table: PartTable;
  /** The greatest part of each block, by block number. */
  readonly #blockMaxima: Float32Array;
  readonly #documents = new Int32Array(BLOCK_SIZE);
  readonly #frequencies = new Int32Array(BLOCK_SIZE);
  #documentFrequency = 0;
  #firstBlock = 0;
  #endBlock = 0;
  #block = 0;
  #count = 0;
  #position = 0;
  #hasFrequencies = false;
  /** The first block that may reach into the window last asked about. */
  #windowBlock = 0;

  constructor(index: Bm25Index, table: PartTable, blockMaxima: Float32Array) {
    this.#index = index;
    this.#table = table;
    this.#blockMaxima = blockMaxima;
  }

  /** Goes to the first posting of a term. */
  open(term: number): void {
    const { terms } = this.#index;
    this.#documentFrequency = terms.documentFrequency(term);
    this.#firstBlock = terms.firstBlock(term);
    this.#endBlock = terms.firstBlock(term + 1);
    this.#windowBlock = this.#firstBlock;
    this.#decode(this.#firstBlock);
  }

  /** The greatest part of any posting in [start, end); windows are asked about in ascending order. */
  maxPart(start: number, end: number): number {
    const { blocks } = this.#index;
    let block = this.#windowBlock;
    while (block < this.#endBlock && blocks[block * BLOCK_ROW.width] < start) block++;
    this.#windowBlock = block;
    let most = 0;
    for (; block < this.#endBlock; block++) {
      if (this.#blockMaxima[block] > most) most = this.#blockMaxima[block];
      if (blocks[block * BLOCK_ROW.width] >= end - 1) break;
    }
    return most;
  }

  /** Goes to the first document that is not below `target`; never backwards. */
  advance(target: number): void {
    if (target <= this.document) return;
    const { blocks } = this.#index;
    if (blocks[this.#block * BLOCK_ROW.width] < target) {
      let block = Math.max(this.#block + 1, this.#windowBlock);
      while (block < this.#endBlock && blocks[block * BLOCK_ROW.width] < target) block++;
      if (block >= this.#endBlock) {
        this.#block = this.#endBlock - 1;
        this.document = NO_MORE_DOCUMENTS;
        return;
      }
      this.#decode(block);
    }
    const documents = this.#documents;
    const last = this.#count - 1;
    let low = this.#position;
    // The next candidate is seldom far away: double the step until it is passed, then halve the gap.
    let step = 1;
    while (low + step < last && documents[low + step] < target) {
      low += step;
      step <<= 1;
    }
    let high = Math.min(low + step, last);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (documents[middle] < target) low = middle + 1;
      else high = middle;
    }
    this.#position = low;
    this.document = this.#documents[low];
  }

  /** The part of the posting it stands on. */
  part(): number {
    return this.#table.part(this.#frequency(), this.#index.lengthCodes[this.document]);
  }

  /** Adds weight × part of every posting from the current one up to the window's end to the window's scores. */
  addTo(window: ScoreWindow, weight: number): void {
    const { start, end, scores, seen } = window;
    const { lengthCodes } = this.#index;
    const { parts } = this.#table;
    const documents = this.#documents;
    const frequencies = this.#frequencies;
    while (this.document < end) {
      if (!this.#hasFrequencies) this.#decodeFrequencies();
      const count = this.#count;
      let i = this.#position;
      for (; i < count; i++) {
        const document = documents[i];
        if (document >= end) break;
        const frequency = frequencies[i];
        const lengthCode = lengthCodes[document];
        const place = document - start;
        scores[place] +=
          weight *
          (frequency < TABLE_FREQUENCIES
            ? parts[(frequency << 8) | lengthCode]
            : this.#table.part(frequency, lengthCode));
        seen[place >>> 5] |= 1 << place;
      }
      if (i < count) {
        this.#position = i;
        this.document = documents[i];
      } else if (this.#block + 1 < this.#endBlock) {
        this.#decode(this.#block + 1);
      } else {
        this.#position = count - 1;
        this.document = NO_MORE_DOCUMENTS;
      }
    }
  }

  #decode(block: number): void {
    const { blocks, postings } = this.#index;
    const row = block * BLOCK_ROW.width;
    this.#block = block;
    this.#position = 0;
    this.#hasFrequencies = false;
    if (this.#documentFrequency === 1) {
      this.#count = 1;
      this.#documents[0] = blocks[row];
    } else {
      const before = (block - this.#firstBlock) * BLOCK_SIZE;
      this.#count = Math.min(BLOCK_SIZE, this.#documentFrequency - before);
      const previous = before === 0 ? -1 : blocks[row - BLOCK_ROW.width];
      decodeDocuments(postings, blocks[row + BLOCK_ROW.firstWord], this.#count, previous, this.#documents);
    }
    this.document = this.#documents[0];
  }

  #frequency(): number {
    if (this.#hasFrequencies) return this.#frequencies[this.#position];
    const { blocks, impacts, postings } = this.#index;
    const row = this.#block * BLOCK_ROW.width;
    if (this.#documentFrequency === 1) return impactFrequency(impacts[blocks[row + BLOCK_ROW.firstImpact]]);
    return decodeFrequency(postings, blocks[row + BLOCK_ROW.firstWord], this.#count, this.#position);
  }

  #decodeFrequencies(): void {
    const { blocks, postings } = this.#index;
    const row = this.#block * BLOCK_ROW.width;
    if (this.#documentFrequency === 1) {
      this.#frequencies[0] = this.#frequency();
    } else {
      decodeFrequencies(postings, blocks[row + BLOCK_ROW.firstWord], this.#count, this.#frequencies);
    }
    this.#hasFrequencies = true;
  }
}
