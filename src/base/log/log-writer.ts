import type { FileHandle } from 'node:fs/promises';
import { hasCode, NearmissError } from '../errors.js';
import { type ChainPlace, encodeFrame } from './frames.js';
import { hasItsName } from './named-file.js';

/** Waiting records that share one fsync, up to this many bytes (a single larger one goes alone). */
const GROUP_BYTES = 8 * 2 ** 20;

/** What the writer needs of an open file. */
export type LogHandle = Pick<FileHandle, 'write' | 'datasync' | 'truncate' | 'stat' | 'close'>;

/** A log file to write to, and where its last durable frame ends. */
export interface LogTarget {
  number: number;
  path: string;
  handle: LogHandle;
  end: number;
  place: ChainPlace;
}

interface Waiting {
  record: Uint8Array;
  /** Called once the record is on disk, in the order of the records. */
  durable: () => void;
  failed: (error: Error) => void;
}

/** Appends records to a log file. Records that arrive while the disk is busy go out together ("group commit"). */
export class LogWriter {
  #target: LogTarget;
  readonly #onDurable: (target: LogTarget) => Promise<void>;
  readonly #waiting: Waiting[] = [];
  #failure: NearmissError | undefined;
  #working: Promise<void> | undefined;
  /** Done between two frames. */
  readonly #between: (() => Promise<void>)[] = [];

  /** @param onDurable told of the present file whenever more of it is on disk; whoever wrote that is told after it */
  constructor(target: LogTarget, onDurable: (target: LogTarget) => Promise<void>) {
    this.#target = target;
    this.#onDurable = onDurable;
  }

  /** The present file, as far as it is durable. */
  get target(): LogTarget {
    return this.#target;
  }

  /**
   * Resolves when the record is on disk, with what `apply` gives. Records are applied in the order of the calls, each
   * before anything else is written.
   */
  append<T>(record: Uint8Array, apply: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const durable = (): void => {
        try {
          resolve(apply());
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push({ record, durable, failed: reject });
      this.#work();
    });
  }

  /**
   * Goes on in another file, which `open` provides. When it is called, every record before it is on disk and applied,
   * and every later one goes to the new file.
   */
  switchTo(open: () => Promise<LogTarget>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#between.push(async () => {
        try {
          if (this.#failure) throw this.#failure;
          if (!(await hasItsName(this.#target.handle, this.#target.path))) throw removed(this.#target.path);
          const { handle } = this.#target;
          this.#target = await open();
          await this.#onDurable(this.#target);
          // All that it was given is on disk.
          await handle.close().catch(() => undefined);
          resolve();
        } catch (error) {
          reject(error);
        }
      });
      this.#work();
    });
  }

  /** Waits for what was appended. */
  async close(): Promise<void> {
    await this.#working;
    await this.#target.handle.close();
  }

  #work(): void {
    this.#working ??= this.#run();
  }

  async #run(): Promise<void> {
    // Whatever else is written in this turn of the event loop joins the first frame.
    await Promise.resolve();
    while (this.#waiting.length > 0 || this.#between.length > 0) {
      for (const task of this.#between.splice(0)) await task();
      const group = this.#takeGroup();
      if (group.length === 0) continue;
      const error = this.#failure ?? (await this.#writeGroup(group));
      for (const { durable, failed } of group) {
        if (error) failed(error);
        else durable();
      }
    }
    // In the same breath as the look at the queue: who appends after it must find that nobody is working.
    this.#working = undefined;
  }

  #takeGroup(): Waiting[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#waiting.length) {
      bytes += this.#waiting[count].record.length;
      if (count > 0 && bytes > GROUP_BYTES) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #writeGroup(group: readonly Waiting[]): Promise<NearmissError | undefined> {
    const { path, handle, end, place } = this.#target;
    const { frame, after } = encodeFrame(
      group.map(({ record }) => record),
      place,
    );
    try {
      for (let written = 0; written < frame.length; ) {
        const result = await handle.write(frame, written, frame.length - written, end + written);
        written += result.bytesWritten;
      }
    } catch (error) {
      return this.#takeBack(error);
    }
    try {
      await handle.datasync();
    } catch (error) {
      // What a failed fsync left on disk is unknown, and the next one may claim success all the same.
      await this.#takeBack(error);
      this.#failure = unwritable(path, error, 'open the state folder anew once the disk is in order');
      return this.#failure;
    }
    if (!(await hasItsName(handle, path))) {
      await this.#cutOff();
      return removed(path);
    }
    this.#target = { ...this.#target, end: end + frame.length, place: after };
    await this.#onDurable(this.#target);
    return undefined;
  }

  /** Cuts off the part of a frame that got to disk; where even that fails, nothing more is written. */
  async #takeBack(error: unknown): Promise<NearmissError> {
    const hint = hasCode(error, 'ENOSPC')
      ? 'the disk is full: free some space and write again; what was acknowledged is safe'
      : 'what was acknowledged is safe; write again when the disk is in order';
    const failure = unwritable(this.#target.path, error, hint);
    if (!(await this.#cutOff())) this.#failure = failure;
    return failure;
  }

  /** Takes what was written after the last durable frame off again; says whether that worked. */
  async #cutOff(): Promise<boolean> {
    try {
      await this.#target.handle.truncate(this.#target.end);
      await this.#target.handle.datasync();
      return true;
    } catch {
      return false;
    }
  }
}

function removed(path: string): NearmissError {
  return new NearmissError(`${path}: expected the log that is being written, got another file or none`, {
    hint: 'the state folder was removed or replaced while it was in use: put it back, or start again with what is there',
  });
}

function unwritable(path: string, cause: unknown, hint: string): NearmissError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new NearmissError(`${path}: cannot write: ${reason}`, { hint, cause });
}
