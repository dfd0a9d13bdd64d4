import { crc32 } from 'node:zlib';
import { z } from 'zod';

const count = z.int().min(0);

/** The checksums of a file's blocks, which are all of one size but the last. */
export const blockChecksSchema = z.object({ bytes: z.int().min(1), crc32: z.array(count) });

/** Takes a file's bytes in pieces of any size and gives the checksum of each block. */
export class BlockChecksums {
  readonly #blockBytes: number;
  readonly #checksums: number[] = [];
  #filled = 0;
  #checksum = 0;

  constructor(blockBytes: number) {
    this.#blockBytes = blockBytes;
  }

  add(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + this.#blockBytes - this.#filled);
      this.#checksum = crc32(part, this.#checksum);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === this.#blockBytes) this.#end();
    }
  }

  finish(): z.infer<typeof blockChecksSchema> {
    if (this.#filled > 0) this.#end();
    return { bytes: this.#blockBytes, crc32: this.#checksums };
  }

  #end(): void {
    this.#checksums.push(this.#checksum);
    this.#checksum = 0;
    this.#filled = 0;
  }
}
