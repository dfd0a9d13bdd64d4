import { innerProduct } from '../../base/numbers/inner-product.js';
import { Candidates } from './candidates.js';
import { encodeRecords, prepareQuery } from './codes.js';
import { ScanKernel } from './scan-kernel.js';

/** A list that a search looks into, and the query's inner product with its centre. */
export interface Probe {
  list: number;
  base: number;
}

/** Lists of vectors that lie near each other, and the centre of each. */
export class ListTable {
  /** lists × dimension */
  readonly centres: Float32Array;
  /** The records of list i are `starts[i] … starts[i + 1] - 1`. */
  readonly starts: Uint32Array;
  readonly #dimension: number;
  readonly #kernel: ScanKernel;
  readonly #codes: Uint8Array;

  constructor(centres: Float32Array, starts: Uint32Array, dimension: number) {
    this.centres = centres;
    this.starts = starts;
    this.#dimension = dimension;
    this.#kernel = new ScanKernel('int8', dimension);
    this.#codes = encodeRecords('int8', centres, new Float32Array(dimension));
  }

  get lists(): number {
    return this.starts.length - 1;
  }

  centre(list: number): Float32Array {
    return this.centres.subarray(list * this.#dimension, (list + 1) * this.#dimension);
  }

  /**
   * The lists whose centres have the largest inner products with a query, best first: so many, or all that it takes to hold
   * so many records.
   */
  nearest(query: Float32Array, { lists, records }: { lists: number; records: number }): Probe[] {
    const found = lists < this.lists ? this.#ranked(query, this.#scan(query, lists)) : [];
    if (this.#recordsOf(found) >= records) return found;
    const all = this.#ranked(
      query,
      Array.from({ length: this.lists }, (_, list) => list),
    );
    let held = 0;
    const end = all.findIndex((probe, i) => {
      held += this.#recordsOf([probe]);
      return i + 1 >= lists && held >= records;
    });
    return end < 0 ? all : all.slice(0, end + 1);
  }

  #recordsOf(probes: readonly Probe[]): number {
    return probes.reduce((sum, { list }) => sum + this.starts[list + 1] - this.starts[list], 0);
  }

  #ranked(query: Float32Array, lists: readonly number[]): Probe[] {
    return lists
      .map((list) => ({ list, base: innerProduct(query, this.centres, list * this.#dimension) }))
      .sort((a, b) => b.base - a.base || a.list - b.list);
  }

  /** By 8-bit codes: with thousands of lists, finding them would take longer than looking into them. */
  #scan(query: Float32Array, wanted: number): number[] {
    const { capacity, codes, places, scores } = this.#kernel;
    const candidates = new Candidates(wanted);
    const stride = codes.length / capacity;
    this.#kernel.prepare(prepareQuery('int8', query));
    for (let first = 0; first < this.lists; first += capacity) {
      const records = Math.min(capacity, this.lists - first);
      codes.set(this.#codes.subarray(first * stride, (first + records) * stride));
      const matches = this.#kernel.scan({ records, first, base: 0, threshold: candidates.threshold });
      for (let i = 0; i < matches; i++) candidates.push(places[2 * i], scores[2 * i + 1]);
    }
    return [...candidates.best()];
  }
}
