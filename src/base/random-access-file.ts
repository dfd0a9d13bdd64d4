import { type FileHandle, open } from 'node:fs/promises';
import { hasCode, NearmissError } from './errors.js';

/** A file read at any place, for formats whose parts are found through a header. */
export class RandomAccessFile {
  readonly path: string;
  /** Bytes in the file. */
  readonly size: number;
  readonly #handle: FileHandle;

  private constructor(path: string, size: number, handle: FileHandle) {
    this.path = path;
    this.size = size;
    this.#handle = handle;
  }

  static async open(path: string): Promise<RandomAccessFile> {
    const handle = await open(path, 'r').catch((error) => {
      throw unreadable(path, error);
    });
    const status = await handle.stat();
    if (status.isFile()) return new RandomAccessFile(path, status.size, handle);
    await handle.close();
    throw new NearmissError(`${path}: expected a file, got a folder`, { hint: 'name a file inside it' });
  }

  /** Fills `target` with the bytes from `position` on; an end of the file before that is an error. */
  async readInto(target: Uint8Array, position: number): Promise<void> {
    let filled = 0;
    while (filled < target.length) {
      const { bytesRead } = await this.#handle
        .read(target, filled, target.length - filled, position + filled)
        .catch((error) => {
          throw unreadable(this.path, error);
        });
      if (bytesRead === 0) throw this.truncated(position + target.length);
      filled += bytesRead;
    }
  }

  /** The error for a file that ends before what its own header promises. */
  truncated(expectedBytes: number): NearmissError {
    return new NearmissError(
      `${this.path}: the file is cut off: expected at least ${expectedBytes} bytes, got ${this.size}`,
      { hint: 'copy or download the file again' },
    );
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

function unreadable(path: string, error: unknown): NearmissError {
  if (hasCode(error, 'ENOENT')) {
    return new NearmissError(`${path}: no such file`, { hint: 'check the path', cause: error });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new NearmissError(`${path}: cannot read: ${reason}`, {
    hint: 'check that you may read the file',
    cause: error,
  });
}
