import { readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { IndexFolder, IndexFolderWriter } from '../index-folder.js';

/** For each vector that equals an earlier one its id and that of the first; absent where there is none. */
const TWINS_FILE = 'twins.bin';

/** What is kept of a vector that equals an earlier one. */
export const TWIN_BYTES = 8;

/**
 * Which vectors of an index equal an earlier one: a graph holds only the first of them, because equal ones crowd each other
 * out of it. Pairs of an id and that of its first, both u32, by the first and then the id.
 */
export class Twins {
  readonly #pairs: Uint32Array;

  private constructor(pairs: Uint32Array) {
    this.#pairs = pairs;
  }

  /** @param ids of the vectors that equal an earlier one @param firsts which that is, for each */
  static of(ids: readonly number[], firsts: readonly number[]): Twins {
    const pairs = new Uint32Array(2 * ids.length);
    for (let i = 0; i < ids.length; i++) {
      pairs[2 * i] = ids[i];
      pairs[2 * i + 1] = firsts[i];
    }
    // As 64-bit numbers, little endian, the first is the upper half.
    new BigUint64Array(pairs.buffer).sort();
    return new Twins(pairs);
  }

  static async read(folder: IndexFolder): Promise<Twins> {
    if (!folder.has(TWINS_FILE)) return Twins.of([], []);
    const content = await readFile(folder.file(TWINS_FILE));
    folder.expectChecksum(TWINS_FILE, crc32(content));
    return new Twins(new Uint32Array(Uint8Array.from(content).buffer));
  }

  /** How many vectors equal an earlier one. */
  get size(): number {
    return this.#pairs.length / 2;
  }

  async write(writer: IndexFolderWriter): Promise<void> {
    if (this.size > 0) await writer.write(TWINS_FILE, [new Uint8Array(this.#pairs.buffer)]);
  }

  /** Appends the ids of at most `most` vectors that equal this first one, lowest first and without its own. */
  appendTo(ids: number[], first: number, most: number): void {
    const pairs = this.#pairs;
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (pairs[2 * middle + 1] < first) low = middle + 1;
      else high = middle;
    }
    const end = Math.min(this.size, low + most);
    for (let i = low; i < end && pairs[2 * i + 1] === first; i++) ids.push(pairs[2 * i]);
  }
}
