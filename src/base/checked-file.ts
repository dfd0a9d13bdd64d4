import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { DamagedFileError, type VerifyOptions, verifySizes } from './checksums.js';
import { AtomicFile } from './files.js';
import { bytesOf } from './numbers/bytes-of.js';

const count = z.int().min(0);

export const fileCheckSchema = z.object({ bytes: count, crc32: count });

/** What a file must measure to be the one that was written. */
export type FileCheck = z.infer<typeof fileCheckSchema>;

/** A file under construction that knows its size and checksum. */
export class CheckedFile {
  readonly #file: AtomicFile;
  #crc32 = 0;

  private constructor(file: AtomicFile) {
    this.#file = file;
  }

  static async create(path: string): Promise<CheckedFile> {
    return new CheckedFile(await AtomicFile.create(path));
  }

  get check(): FileCheck {
    return { bytes: this.#file.position, crc32: this.#crc32 };
  }

  async write(content: string | ArrayBufferView): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : bytesOf(content);
    // Of memory that is not there, as the engine gives for no rows, zlib begins its checksum anew.
    if (bytes.length === 0) return;
    this.#crc32 = crc32(bytes, this.#crc32);
    await this.#file.write(bytes);
  }

  commit(): Promise<void> {
    return this.#file.commit();
  }

  abort(): Promise<void> {
    return this.#file.abort();
  }
}

/** Measures a file that is there already, reading it through. */
export async function checkOf(path: string): Promise<FileCheck> {
  const { size } = await stat(path);
  let checksum = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    checksum = crc32(chunk as Buffer, checksum);
  }
  return { bytes: size, crc32: checksum };
}

/** Reads a file through to see that it is what was written; if not, a {@link DamagedFileError} names it. */
export async function verifyCheck(
  folder: string,
  name: string,
  check: FileCheck,
  options: VerifyOptions,
): Promise<void> {
  await verifySizes(folder, { [name]: check }, options);
  expectChecksum(join(folder, name), (await checkOf(join(folder, name))).crc32, check, options);
}

/** Compares the checksum of what was read with the one that was written down. */
export function expectChecksum(
  path: string,
  checksum: number,
  check: { crc32: number },
  options: VerifyOptions,
): void {
  if (checksum !== check.crc32) {
    throw new DamagedFileError(path, 'its content is not what was written', options);
  }
}
