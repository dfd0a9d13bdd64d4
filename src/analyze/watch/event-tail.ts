import type { Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { hasCode } from '../../base/errors.js';
import { parseEvents, type TimedEvent } from '../../run/events.js';

const CHUNK_BYTES = 1 << 20;
/** Enough for some dozen events, so that the last step is nearly always among them. */
const END_BYTES = 1 << 16;
const NEWLINE = 0x0a;

/** Follows a file of events: each look reads only what was added since the one before. */
export class EventTail {
  readonly #path: string;
  #offset = 0;
  #file = '';

  constructor(path: string) {
    this.#path = path;
  }

  /** Another one whenever the file has changed; costs no reading. */
  async version(): Promise<string> {
    const status = await stat(this.#path).catch(absent);
    return status ? `${identityOf(status)}-${status.size.toString(36)}` : 'none';
  }

  /** Whether the file is another one than that read so far, or was cut: what it told must be forgotten. */
  async isReplaced(): Promise<boolean> {
    const status = await stat(this.#path).catch(absent);
    return this.#offset > 0 && (!status || identityOf(status) !== this.#file || status.size < this.#offset);
  }

  /** Events that were not given before; a line that is still being written waits for its end. */
  async *added(): AsyncGenerator<TimedEvent> {
    const handle = await open(this.#path, 'r').catch(absent);
    if (!handle) return;
    try {
      this.#file = identityOf(await handle.stat());
      let size = CHUNK_BYTES;
      for (;;) {
        const chunk = await readAt(handle, this.#offset, size);
        const end = chunk.lastIndexOf(NEWLINE) + 1;
        this.#offset += end;
        yield* parseEvents(chunk.toString('utf8', 0, end));
        if (chunk.length < size) return;
        // A line longer than the chunk needs a longer one.
        size = end > 0 ? CHUNK_BYTES : 2 * size;
      }
    } finally {
      await handle.close();
    }
  }
}

/** The last events of a file, oldest first, however long it is. */
export async function lastEvents(path: string): Promise<TimedEvent[]> {
  const handle = await open(path, 'r').catch(absent);
  if (!handle) return [];
  try {
    const { size } = await handle.stat();
    const end = await readAt(handle, Math.max(0, size - END_BYTES), END_BYTES);
    return parseEvents(end.toString('utf8', size > END_BYTES ? end.indexOf(NEWLINE) + 1 : 0));
  } finally {
    await handle.close();
  }
}

async function readAt(handle: FileHandle, position: number, size: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(size);
  const { bytesRead } = await handle.read(buffer, 0, size, position);
  return buffer.subarray(0, bytesRead);
}

/** The number of a removed file may be given to the next one. */
function identityOf({ ino, birthtimeMs }: Stats): string {
  return `${ino.toString(36)}-${Math.floor(birthtimeMs).toString(36)}`;
}

function absent(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
}
