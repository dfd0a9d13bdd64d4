import { crc32 } from 'node:zlib';
import type { CheckedFile } from '../../base/checked-file.js';
import { bytesOf } from '../../base/numbers/bytes-of.js';

/** Writes a file in blocks of equal size and notes the checksum of each, for reading it by blocks later. */
export class BlockWriter {
  readonly #file: CheckedFile;
  readonly #block: Uint8Array;
  readonly #checksums: number[] = [];
  #filled = 0;

  constructor(file: CheckedFile, blockBytes: number) {
    this.#file = file;
    this.#block = new Uint8Array(blockBytes);
  }

  async write(content: ArrayBufferView): Promise<void> {
    const bytes = bytesOf(content);
    for (let done = 0; done < bytes.length; ) {
      const part = bytes.subarray(done, done + this.#block.length - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      done += part.length;
      if (this.#filled === this.#block.length) await this.#flush();
    }
  }

  /** Writes the last block, which may be shorter, and returns the checksums of all. */
  async finish(): Promise<Uint32Array> {
    if (this.#filled > 0) await this.#flush();
    return Uint32Array.from(this.#checksums);
  }

  async #flush(): Promise<void> {
    const block = this.#block.subarray(0, this.#filled);
    this.#checksums.push(crc32(block));
    await this.#file.write(block);
    this.#filled = 0;
  }
}
