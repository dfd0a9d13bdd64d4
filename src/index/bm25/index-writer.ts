import { join } from 'node:path';
import type { Bm25Meta } from './format.js';
import { FILES } from './layout.js';
import { BLOCK_SIZE, encodeBlock, MAX_BLOCK_WORDS } from './postings/block-codec.js';
import { ByteWriter } from './postings/byte-writer.js';
import { ImpactFrontier } from './postings/impacts.js';

/** Writes the inverted lists, term by term in order, each posting once; memory does not depend on their length. */
export class IndexWriter {
  readonly #lengthCodes: Uint8Array;
  readonly #terms: ByteWriter;
  readonly #termTable: ByteWriter;
  readonly #postings: ByteWriter;
  readonly #blocks: ByteWriter;
  readonly #impacts: ByteWriter;
  readonly #frontier = new ImpactFrontier();
  readonly #documents = new Int32Array(BLOCK_SIZE);
  readonly #frequencies = new Int32Array(BLOCK_SIZE);
  readonly #words = new Uint32Array(MAX_BLOCK_WORDS);
  #inBlock = 0;
  #previous = -1;
  #documentFrequency = 0;
  #impactCount = 0;
  #termCount = 0;
  #blockCount = 0;
  #postingCount = 0;

  /** @param lengthCodes the coded length of every document */
  constructor(folder: string, lengthCodes: Uint8Array) {
    this.#lengthCodes = lengthCodes;
    this.#terms = new ByteWriter(join(folder, FILES.terms));
    this.#termTable = new ByteWriter(join(folder, FILES.termTable));
    this.#postings = new ByteWriter(join(folder, FILES.postings));
    this.#blocks = new ByteWriter(join(folder, FILES.blocks));
    this.#impacts = new ByteWriter(join(folder, FILES.impacts));
  }

  /** Starts the next term and returns its number. */
  startTerm(term: string): number {
    this.#termTable.u32(this.#terms.position);
    this.#termTable.u32(this.#blockCount);
    this.#terms.text(term);
    return this.#termCount++;
  }

  /** Adds a posting of the term; documents come in ascending order. */
  add(document: number, frequency: number): void {
    this.#documents[this.#inBlock] = document;
    this.#frequencies[this.#inBlock++] = frequency;
    this.#frontier.add(frequency, this.#lengthCodes[document]);
    this.#documentFrequency++;
    if (this.#inBlock === BLOCK_SIZE) this.#endBlock();
  }

  endTerm(): void {
    if (this.#inBlock > 0) this.#endBlock();
    this.#termTable.u32(this.#documentFrequency);
    this.#postingCount += this.#documentFrequency;
    this.#documentFrequency = 0;
    this.#previous = -1;
  }

  close(): Pick<Bm25Meta, 'terms' | 'postings' | 'blocks' | 'files'> {
    for (const value of [this.#terms.position, this.#blockCount, 0]) this.#termTable.u32(value);
    for (const value of [0, this.#postings.position >>> 2, this.#impactCount]) this.#blocks.u32(value);
    return {
      terms: this.#termCount,
      postings: this.#postingCount,
      blocks: this.#blockCount,
      files: {
        [FILES.terms]: this.#terms.close(),
        [FILES.termTable]: this.#termTable.close(),
        [FILES.postings]: this.#postings.close(),
        [FILES.blocks]: this.#blocks.close(),
        [FILES.impacts]: this.#impacts.close(),
      },
    };
  }

  /** Closes the files as they are, after a failure. */
  dispose(): void {
    const files = [this.#terms, this.#termTable, this.#postings, this.#blocks, this.#impacts];
    for (const file of files) file.dispose();
  }

  #endBlock(): void {
    const last = this.#documents[this.#inBlock - 1];
    this.#blocks.u32(last);
    this.#blocks.u32(this.#postings.position >>> 2);
    this.#blocks.u32(this.#impactCount);
    // A term of one document needs no postings: its block's last document and only impact say it all.
    if (this.#documentFrequency > 1) this.#writePostings();
    for (let i = 0; i < this.#frontier.size; i++) this.#impacts.u32(this.#frontier.packed(i));
    this.#impactCount += this.#frontier.size;
    this.#frontier.clear();
    this.#blockCount++;
    this.#inBlock = 0;
    this.#previous = last;
  }

  #writePostings(): void {
    const words = encodeBlock(this.#documents, this.#frequencies, this.#inBlock, this.#previous, this.#words);
    for (let i = 0; i < words; i++) this.#postings.u32(this.#words[i]);
  }
}
