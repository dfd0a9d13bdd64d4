/* The binary files of an index; docs/bm25.md describes every one. All numbers are little endian. Search threads need
   this and nothing of what checks the description, which takes longer to load than all the rest of them. */

/** Every binary file, by what it holds. */
export const FILES = {
  /** The terms in UTF-8, one after the other, in the order of JavaScript's `<`. */
  terms: 'terms.bin',
  /** A row of {@link TERM_ROW} u32 for each term, and one that ends them. */
  termTable: 'term-table.bin',
  /** Blocks of postings, in u32 words (block-codec.ts). */
  postings: 'postings.bin',
  /** A row of {@link BLOCK_ROW} u32 for each block, and one that ends them. */
  blocks: 'blocks.bin',
  /** u32 entries: coded length | frequency << 8 (impacts.ts). */
  impacts: 'impacts.bin',
  /** A coded length for each document (document-length.ts). */
  lengths: 'lengths.bin',
  /** The document ids in UTF-8, one after the other, in indexing order. */
  ids: 'ids.bin',
  /** u32, where each id starts, and where the last one ends. */
  idOffsets: 'id-offsets.bin',
} as const;

/** The forward index, there only when it was asked for. */
export const VECTOR_FILES = {
  /** For each document: (term gap, frequency) pairs as variable-length integers. */
  vectors: 'vectors.bin',
  /** u32, where each vector starts, and where the last one ends. */
  vectorOffsets: 'vector-offsets.bin',
} as const;

export type FileKey = keyof typeof FILES | keyof typeof VECTOR_FILES;

/** Columns of the term table. */
export const TERM_ROW = { textOffset: 0, firstBlock: 1, documentFrequency: 2, width: 3 } as const;

/** Columns of the block table. */
export const BLOCK_ROW = { lastDocument: 0, firstWord: 1, firstImpact: 2, width: 3 } as const;

/** Frequencies are cut here, so that they and a coded length fit an impact. */
export const MAX_FREQUENCY = 0xff_ffff;
