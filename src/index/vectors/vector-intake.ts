import { createHash, type Hash } from 'node:crypto';
import { NearmissError } from '../../base/errors.js';
import { bytesOf } from '../../base/numbers/bytes-of.js';
import { countRows } from './check-vectors.js';

/** Ids are 32-bit integers. */
const MAX_VECTORS = 2 ** 31 - 1;

/** Checks, counts and fingerprints the vectors that go into an index. */
export class VectorIntake {
  readonly dimension: number;
  /** Where the vectors are from, for error messages. */
  readonly source: string;
  readonly #hash: Hash;
  #count = 0;
  #finished = false;

  constructor({ dimension, source = 'vectors' }: { dimension: number; source?: string }) {
    if (!Number.isInteger(dimension) || dimension < 1) {
      throw new NearmissError(`dimension: expected an integer from 1 up, got ${dimension}`);
    }
    this.dimension = dimension;
    this.source = source;
    this.#hash = createHash('sha256').update(`${dimension}\n`);
  }

  get count(): number {
    return this.#count;
  }

  /** Accepts a block and returns its number of rows. */
  accept(block: Float32Array): number {
    if (this.#finished) throw new Error('The index is finished: nothing can be added');
    const rows = countRows(block, { dimension: this.dimension, firstRow: this.#count, what: this.source });
    if (this.#count + rows > MAX_VECTORS) {
      throw new NearmissError(`one index holds at most ${MAX_VECTORS} vectors`, {
        hint: 'split the collection and merge the results of the parts',
      });
    }
    this.#hash.update(bytesOf(block));
    this.#count += rows;
    return rows;
  }

  finish(): { dimension: number; count: number; fingerprint: string } {
    this.#finished = true;
    return { dimension: this.dimension, count: this.#count, fingerprint: this.#hash.digest('hex') };
  }
}
