import { CodewordFinder, WORDS } from './codeword-finder.js';

export const TOKEN_BITS = [1, 2, 4] as const;

/** Bits kept of each component of what a token's row differs from its centroid by. */
export type TokenBits = (typeof TOKEN_BITS)[number];

/** The share of a row's bytes, its first ones, that are made to say much of where it lies. */
export const FIRST_BYTES = 1 / 4;

/** A code is the number of a centroid in the lower bits and a byte that says how long the row is. */
const CENTROID_BITS = 24;
const CENTROID_MASK = 2 ** CENTROID_BITS - 1;
const MOST_BYTE = 255;

/** Which centroid a code stands for. */
export function centroidOf(code: number): number {
  return code & CENTROID_MASK;
}

/** The byte of a code that says how long its row is. */
function scaleByteOf(code: number): number {
  return code >>> CENTROID_BITS;
}

/** By how much rows are made longer: byte `b` stands for `lowest + b · step`. */
export interface Scales {
  lowest: number;
  step: number;
}

/** Of rows whose codes say nothing of it, wide enough for any that were made of a centroid and a difference. */
const UNSAID: Scales = { lowest: 0.5, step: 1.5 / MOST_BYTE };

/** What rows are taken apart by, and put together again. */
export interface Codebook {
  dimension: number;
  bits: TokenBits;
  /** dimension × dimension, row by row: the directions along which rows are kept. */
  directions: Float32Array;
  /** centroids × dimension, along the directions, each of length 1 or 0. */
  centroids: Float32Array;
  /** How many components each byte is kept of. */
  sizes: Uint32Array;
  /** What bytes stand for: byte after byte, 256 times as many numbers as it has components. */
  codewords: Float32Array;
  /** Undefined where codes say nothing of lengths: all rows have length 1. */
  scales?: Scales;
}

/** Packed bytes of a row. */
export function packedBytes({ dimension, bits }: Pick<Codebook, 'dimension' | 'bits'>): number {
  return Math.ceil((dimension * bits) / 8);
}

/**
 * Residual compression as ColBERTv2's, with a product quantizer (Jégou et al. 2011) for what is left: a row is the number of its
 * nearest centroid and bytes for groups of components of the difference, each of which says the nearest of 256 codewords. Rows lie
 * along principal directions, so that groups can be as large as they have little to say (Ge et al. 2013). Put together they would be
 * too short: a byte that has room beside the centroid says by how much.
 */
export class ResidualCodec {
  readonly codebook: Codebook;
  /** Packed bytes of a row. */
  readonly rowBytes: number;
  #finder: CodewordFinder | undefined;

  constructor(codebook: Codebook) {
    this.codebook = codebook;
    this.rowBytes = packedBytes(codebook);
  }

  /**
   * Packs rows that lie along the directions and whose centroids are known; `target` has {@link rowBytes} for each.
   *
   * @returns their codes
   */
  encode(rows: Float32Array, centroids: ArrayLike<number>, target: Uint8Array): Uint32Array {
    this.#finder ??= new CodewordFinder(this.codebook.codewords, this.codebook.sizes);
    this.#finder.find(differences(rows, centroids, this.codebook), target);
    const codes = Uint32Array.from(centroids);
    const { scales } = this.codebook;
    return scales ? withBytes(codes, this.#lengthen(codes, target, rows), scales) : codes;
  }

  /** What the byte of a code from {@link scaled} stands for. */
  get scales(): Scales {
    return this.codebook.scales ?? UNSAID;
  }

  /** Codes that say how long their rows are, whether or not they are kept so. */
  scaled(codes: Uint32Array, packed: Uint8Array): Uint32Array {
    return this.codebook.scales ? codes : withBytes(codes, this.#lengthen(codes, packed), UNSAID);
  }

  /** Rows again, along the directions. */
  decode(codes: Uint32Array, packed: Uint8Array, target: Float32Array): void {
    const { dimension, scales } = this.codebook;
    const lengths = scales
      ? Float32Array.from(codes, (code) => scales.lowest + scales.step * scaleByteOf(code))
      : this.#lengthen(codes, packed);
    for (let row = 0; row < codes.length; row++) {
      const start = row * dimension;
      this.#put(codes[row], packed, row, target, start);
      for (let i = start; i < start + dimension; i++) target[i] *= lengths[row];
    }
  }

  /** The range of what rows have to be multiplied with to be as long as they were. */
  scalesFor(rows: Float32Array, centroids: ArrayLike<number>): Scales {
    const packed = new Uint8Array(centroids.length * this.rowBytes);
    const lengths = this.#lengthen(this.encode(rows, centroids, packed), packed, rows);
    const lowest = lengths.reduce((least, length) => Math.min(least, length), Number.POSITIVE_INFINITY);
    const highest = lengths.reduce((most, length) => Math.max(most, length), 0);
    return { lowest, step: (highest - lowest) / MOST_BYTE };
  }

  /** What rows have to be multiplied with to be as long as they were; without `rows`, of length 1. */
  #lengthen(codes: Uint32Array, packed: Uint8Array, rows?: Float32Array): Float32Array {
    const { dimension } = this.codebook;
    const together = new Float32Array(dimension);
    return Float32Array.from(codes, (code, row) => {
      this.#put(code, packed, row, together, 0);
      const length = lengthOf(together);
      const wanted = rows ? lengthOf(rows.subarray(row * dimension, (row + 1) * dimension)) : 1;
      return length > 0 ? wanted / length : 0;
    });
  }

  /** A centroid and codewords, added up. */
  #put(code: number, packed: Uint8Array, row: number, target: Float32Array, start: number): void {
    const { dimension, centroids, codewords, sizes } = this.codebook;
    const centroid = centroidOf(code) * dimension;
    const bytes = row * this.rowBytes;
    for (let group = 0, i = 0; group < sizes.length; group++) {
      const size = sizes[group];
      const word = i * WORDS + packed[bytes + group] * size;
      for (let j = 0; j < size; j++, i++) {
        target[start + i] = centroids[centroid + i] + codewords[word + j];
      }
    }
  }
}

/** What rows differ from their centroids by. */
export function differences(
  rows: Float32Array,
  places: ArrayLike<number>,
  { dimension, centroids }: Pick<Codebook, 'dimension' | 'centroids'>,
): Float32Array {
  const result = new Float32Array(rows.length);
  for (let row = 0; row < places.length; row++) {
    const [start, centroid] = [row * dimension, places[row] * dimension];
    for (let i = 0; i < dimension; i++) result[start + i] = rows[start + i] - centroids[centroid + i];
  }
  return result;
}

function withBytes(codes: Uint32Array, lengths: Float32Array, { lowest, step }: Scales): Uint32Array {
  return codes.map((code, row) => {
    const byte = step > 0 ? Math.round((lengths[row] - lowest) / step) : 0;
    return (centroidOf(code) | (Math.max(0, Math.min(MOST_BYTE, byte)) << CENTROID_BITS)) >>> 0;
  });
}

function lengthOf(row: Float32Array): number {
  let squares = 0;
  for (let i = 0; i < row.length; i++) squares += row[i] * row[i];
  return Math.sqrt(squares);
}
