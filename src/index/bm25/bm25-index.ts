import { NearmissError } from '../../base/errors.js';
import { type Analyzer, analyzerFor } from '../../text/analyzers/index.js';
import type { Bm25Meta } from './format.js';
import type { FileKey } from './layout.js';
import type { CollectionStatistics } from './similarity.js';
import { TermDictionary } from './term-dictionary.js';

/** The files of an index in shared memory: any number of threads can search them without a copy. */
export type IndexBuffers = Partial<Record<FileKey, SharedArrayBuffer>> & {
  [key in Exclude<FileKey, 'vectors' | 'vectorOffsets'>]: SharedArrayBuffer;
};

/** The terms of one document, in ascending order of their numbers. */
export interface TermVector {
  terms: number[];
  frequencies: number[];
}

/** An opened index: documents and terms by number, from 0. Searching it is Bm25Searcher's work. */
export class Bm25Index {
  readonly meta: Bm25Meta;
  /** What {@link Bm25Index} is made of, to be sent to worker threads. */
  readonly buffers: IndexBuffers;
  readonly analyzer: Analyzer;
  readonly terms: TermDictionary;
  readonly statistics: CollectionStatistics;
  /** Blocks of block-codec.ts. */
  readonly postings: Uint32Array;
  /** Rows of BLOCK_ROW. */
  readonly blocks: Uint32Array;
  readonly impacts: Uint32Array;
  readonly lengthCodes: Uint8Array;
  readonly #ids: Buffer;
  readonly #idOffsets: Uint32Array;

  constructor(meta: Bm25Meta, buffers: IndexBuffers) {
    this.meta = meta;
    this.buffers = buffers;
    this.analyzer = analyzerFor(meta.language);
    this.terms = new TermDictionary(Buffer.from(buffers.terms), new Uint32Array(buffers.termTable));
    this.postings = new Uint32Array(buffers.postings);
    this.blocks = new Uint32Array(buffers.blocks);
    this.impacts = new Uint32Array(buffers.impacts);
    this.lengthCodes = new Uint8Array(buffers.lengths);
    this.#ids = Buffer.from(buffers.ids);
    this.#idOffsets = new Uint32Array(buffers.idOffsets);
    const documents = Math.max(1, meta.nonEmptyDocuments);
    this.statistics = { documents, averageLength: Math.max(1, meta.totalLength) / documents };
  }

  get documents(): number {
    return this.meta.documents;
  }

  /** The id of a document, by its number. */
  documentId(document: number): string {
    return this.#ids.toString('utf8', this.#idOffsets[document], this.#idOffsets[document + 1]);
  }

  get hasVectors(): boolean {
    return this.buffers.vectors !== undefined;
  }

  /** The terms of a document; the index must have been built with vectors. */
  vector(document: number): TermVector {
    const { vectors, vectorOffsets } = this.buffers;
    if (vectors === undefined || vectorOffsets === undefined) {
      throw new NearmissError('this index holds no term vectors, which RM3 needs', {
        hint: 'build it with "nearmiss bm25 index … --vectors"',
      });
    }
    const [start, end] = new Uint32Array(vectorOffsets, 4 * document, 2);
    return decodeVector(new Uint8Array(vectors, start, end - start));
  }
}

function decodeVector(bytes: Uint8Array): TermVector {
  const vector: TermVector = { terms: [], frequencies: [] };
  let at = 0;
  const varint = (): number => {
    let value = bytes[at] & 127;
    for (let shift = 7; bytes[at++] > 127; shift += 7) value |= (bytes[at] & 127) << shift;
    return value;
  };
  for (let term = 0; at < bytes.length; ) {
    term += varint();
    vector.terms.push(term);
    vector.frequencies.push(varint());
  }
  return vector;
}
