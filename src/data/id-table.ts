import { NearmissError } from '../base/errors.js';

const CHUNK_BYTES = 1 << 20;
const MAX_CHUNKS = 2 ** 32 / CHUNK_BYTES;
const LENGTH_BYTES = 4;

/**
 * Numbers ids in the order in which they come, in about twelve bytes beyond the id itself; a JavaScript Map takes
 * ten times as much. Ids are compared byte by byte, so two that hash alike stay two.
 *
 * @example
 * const ids = new IdTable();
 * ids.add('doc1'); // true: number 0
 * ids.add('doc1'); // false: known
 * ids.indexOf('doc1'); // 0
 * ids.idAt(0); // 'doc1'
 */
export class IdTable {
  /** Open addressing with linear probing; a slot holds the id's number + 1, or 0 for empty. */
  #slots = new Uint32Array(1 << 10);
  /** Where an id begins: its chunk × CHUNK_BYTES + its place there, four bytes of length before its bytes. */
  #starts = new Uint32Array(1 << 9);
  #size = 0;
  readonly #chunks: Buffer[] = [];
  #free = 0;
  /** The id being looked up, as bytes. */
  #key = Buffer.alloc(256);
  #keyLength = 0;

  /** How many ids there are. */
  get size(): number {
    return this.#size;
  }

  /** Adds an id; false when it is there already. */
  add(id: string): boolean {
    const slot = this.#find(id);
    if (this.#slots[slot] !== 0) return false;
    this.#store();
    this.#slots[slot] = this.#size;
    if (this.#size * 4 > this.#slots.length * 3) this.#rehash();
    return true;
  }

  /** The id's number, or −1. */
  indexOf(id: string): number {
    return this.#slots[this.#find(id)] - 1;
  }

  has(id: string): boolean {
    return this.indexOf(id) >= 0;
  }

  /** The id of a number below {@link IdTable.size}. */
  idAt(index: number): string {
    if (!(index >= 0 && index < this.#size)) throw new RangeError(`no id ${index} among ${this.#size}`);
    const start = this.#starts[index];
    const chunk = this.#chunks[Math.floor(start / CHUNK_BYTES)];
    const offset = start % CHUNK_BYTES;
    const from = offset + LENGTH_BYTES;
    return chunk.toString('utf8', from, from + chunk.readUInt32LE(offset));
  }

  /** Whether both have the same ids in the same order; as fast as memory is compared. */
  equals(other: IdTable): boolean {
    return (
      this.#size === other.#size &&
      this.#free === other.#free &&
      this.#chunks.length === other.#chunks.length &&
      this.#chunks.every((chunk, i) => chunk.equals(other.#chunks[i]))
    );
  }

  /** The slot that holds the id, or the empty one where it belongs; leaves the id's bytes in the key. */
  #find(id: string): number {
    if (this.#key.length < id.length * 3) this.#key = Buffer.alloc(id.length * 3);
    this.#keyLength = this.#key.write(id);
    const mask = this.#slots.length - 1;
    let slot = hash(this.#key, 0, this.#keyLength) & mask;
    while (this.#slots[slot] !== 0 && !this.#equalsKey(this.#slots[slot] - 1)) slot = (slot + 1) & mask;
    return slot;
  }

  #equalsKey(index: number): boolean {
    const start = this.#starts[index];
    const chunk = this.#chunks[Math.floor(start / CHUNK_BYTES)];
    const offset = start % CHUNK_BYTES;
    if (chunk.readUInt32LE(offset) !== this.#keyLength) return false;
    for (let i = 0; i < this.#keyLength; i++) {
      if (chunk[offset + LENGTH_BYTES + i] !== this.#key[i]) return false;
    }
    return true;
  }

  #store(): void {
    const bytes = LENGTH_BYTES + this.#keyLength;
    let chunk = this.#chunks.at(-1);
    if (!chunk || this.#free + bytes > chunk.length) {
      if (this.#chunks.length === MAX_CHUNKS) throw new NearmissError('more than 4 GiB of ids');
      chunk = Buffer.alloc(Math.max(CHUNK_BYTES, bytes));
      this.#chunks.push(chunk);
      this.#free = 0;
    }
    if (this.#size === this.#starts.length) {
      const longer = new Uint32Array(this.#size * 2);
      longer.set(this.#starts);
      this.#starts = longer;
    }
    this.#starts[this.#size++] = (this.#chunks.length - 1) * CHUNK_BYTES + this.#free;
    chunk.writeUInt32LE(this.#keyLength, this.#free);
    this.#key.copy(chunk, this.#free + LENGTH_BYTES, 0, this.#keyLength);
    this.#free += bytes;
  }

  #rehash(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let index = 0; index < this.#size; index++) {
      const start = this.#starts[index];
      const chunk = this.#chunks[Math.floor(start / CHUNK_BYTES)];
      const offset = start % CHUNK_BYTES;
      const from = offset + LENGTH_BYTES;
      let slot = hash(chunk, from, from + chunk.readUInt32LE(offset)) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = index + 1;
    }
  }
}

/** FNV-1a with a final mix, since linear probing wants all low bits to be good. */
function hash(bytes: Buffer, from: number, to: number): number {
  let value = 0x811c9dc5;
  for (let i = from; i < to; i++) value = Math.imul(value ^ bytes[i], 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b);
  return (value ^ (value >>> 16)) >>> 0;
}
