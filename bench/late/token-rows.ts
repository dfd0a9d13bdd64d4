import { openSync, readSync } from 'node:fs';
import type { TokenSource } from '../../src/index/tokens/write-token-index.js';

/** Rows of tokens in a file of bare 32-bit numbers, with where documents begin. */
export interface StoredRows {
  path: string;
  dimension: number;
  offsets: Uint32Array;
}

/** Rows read at once. */
const BLOCK_ROWS = 16_384;
/** How far a copy's rows are from the original's, in lengths of a row: about the distance of a word in two contexts. */
const NOISE = 0.35;

/**
 * A collection that is `times` as large: the documents as they are, then copies of them whose rows are moved a little each and have
 * length 1 again. Nothing is kept: a copy is made anew whenever it is read, the same each time.
 */
export function grown({ path, dimension, offsets }: StoredRows, times: number): TokenSource {
  const documents = offsets.length - 1;
  const rows = offsets[documents];
  const all = new Uint32Array(documents * times + 1);
  for (let copy = 0; copy < times; copy++) {
    for (let i = 1; i <= documents; i++) all[copy * documents + i] = copy * rows + offsets[i];
  }
  const noise = normals(1 << 20);
  return {
    offsets: all,
    async *blocks() {
      const file = openSync(path, 'r');
      for (let copy = 0; copy < times; copy++) {
        for (let first = 0; first < rows; first += BLOCK_ROWS) {
          const count = Math.min(BLOCK_ROWS, rows - first);
          const block = new Float32Array(count * dimension);
          const bytes = new Uint8Array(block.buffer);
          readSync(file, bytes, 0, bytes.length, first * dimension * 4);
          if (copy > 0) move(block, dimension, noise, (copy * 7919 + first) * 104_729);
          yield block;
        }
      }
    },
  };
}

function move(block: Float32Array, dimension: number, noise: Float32Array, start: number): void {
  const scale = NOISE / Math.sqrt(dimension);
  const mask = noise.length - 1;
  let next = start & mask;
  for (let row = 0; row < block.length; row += dimension) {
    // Each row begins elsewhere in the table: rows that follow one another are not moved alike.
    next = (next + 60_013) & mask;
    let squares = 0;
    for (let i = row; i < row + dimension; i++) {
      block[i] += scale * noise[(next + i - row) & mask];
      squares += block[i] * block[i];
    }
    const factor = 1 / Math.sqrt(squares);
    for (let i = row; i < row + dimension; i++) block[i] *= factor;
  }
}

/** Numbers of a normal distribution (Box–Muller) from a fixed seed. */
function normals(count: number): Float32Array {
  let state = 0x9e3779b9;
  const uniform = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) + 1) / 4294967297;
  };
  const numbers = new Float32Array(count);
  for (let i = 0; i < count; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    const angle = 2 * Math.PI * uniform();
    numbers[i] = radius * Math.cos(angle);
    numbers[i + 1] = radius * Math.sin(angle);
  }
  return numbers;
}
