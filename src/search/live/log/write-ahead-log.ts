import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NearmissError } from '../../../base/errors.js';
import { AtomicFile, writeFileAtomic } from '../../../base/files.js';
import { PARTIAL_PREFIX } from '../../../base/partial-path.js';
import { damaged, encodeFrame, fileHeader, readFrames } from './frames.js';
import { type LogHandle, LogWriter } from './log-writer.js';

type FileKind = 'snapshot' | 'log';

export interface OpenLogOptions {
  /** Told every record that is there, in order; `where` names its place for error messages. */
  onRecord: (record: Buffer, where: string) => void;
  /** Told when an unfinished write was cut off. */
  onCut?: (message: string) => void;
  /** Opens a log file for writing; there for tests of a failing disk. */
  openFile?: (path: string) => Promise<LogHandle>;
}

/**
 * Records that survive a crash, in a folder of numbered files: `snapshot-n` holds everything before `log-n` in short,
 * `log-n` and its successors what came after. A newer snapshot makes the files before it superfluous.
 *
 * @example
 * const log = await WriteAheadLog.open('state', { onRecord: (record) => replay(record) });
 * await log.append(record, () => apply(record)); // on disk and applied
 * await log.close();
 */
export class WriteAheadLog {
  readonly folder: string;
  readonly #openFile: (path: string) => Promise<LogHandle>;
  readonly #writer: LogWriter;
  /** The number of the log that is written to. */
  #number: number;
  /** Bytes in the files before that log. */
  #earlierBytes: number;
  #compacting: Promise<void> | undefined;

  private constructor(
    folder: string,
    writer: LogWriter,
    place: { number: number; earlierBytes: number; openFile: (path: string) => Promise<LogHandle> },
  ) {
    this.folder = folder;
    this.#writer = writer;
    this.#number = place.number;
    this.#earlierBytes = place.earlierBytes;
    this.#openFile = place.openFile;
  }

  static async open(folder: string, options: OpenLogOptions): Promise<WriteAheadLog> {
    const { onRecord, onCut, openFile = openForWriting } = options;
    await mkdir(folder, { recursive: true });
    const files = await listFiles(folder);
    const first = files.snapshots.at(-1) ?? 1;
    await removeBefore(folder, first, files);
    const logs = files.logs.filter((number) => number >= first);
    checkComplete(folder, first, logs, files.snapshots.length > 0);
    let earlierBytes = 0;
    if (files.snapshots.length > 0) {
      earlierBytes += await readWhole(filePath(folder, 'snapshot', first), first, onRecord);
    }
    for (const number of logs.slice(0, -1)) {
      earlierBytes += await readWhole(filePath(folder, 'log', number), number, onRecord);
    }
    const number = logs.at(-1) ?? first;
    const path = filePath(folder, 'log', number);
    if (logs.length === 0) await writeFileAtomic(path, fileHeader(number));
    const { end, size } = await readFrames(path, { number, onRecord });
    const handle = await openFile(path);
    if (end < size) {
      await handle.truncate(end);
      await handle.datasync();
      onCut?.(`${path}: byte ${end}: cut off ${size - end} bytes of a write that was never acknowledged`);
    }
    return new WriteAheadLog(folder, new LogWriter(path, handle, end), { number, earlierBytes, openFile });
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#earlierBytes + this.#writer.end;
  }

  get isCompacting(): boolean {
    return this.#compacting !== undefined;
  }

  /** Resolves when the record is on disk, with what `apply` gives; records are applied in the order of the calls. */
  append<T>(record: Uint8Array, apply: () => T): Promise<T> {
    return this.#writer.append(record, apply);
  }

  /**
   * Replaces all records before now by fewer ones that say the same; appending goes on meanwhile. `capture` is called
   * at a moment when everything appended before is applied and nothing after.
   */
  compact(capture: () => Iterable<Uint8Array>): Promise<void> {
    const before = this.#compacting ?? Promise.resolve();
    const compacting = before.catch(() => undefined).then(() => this.#compact(capture));
    this.#compacting = compacting;
    const end = (): void => {
      if (this.#compacting === compacting) this.#compacting = undefined;
    };
    compacting.then(end, end);
    return compacting;
  }

  async close(): Promise<void> {
    await this.#compacting?.catch(() => undefined);
    await this.#writer.close();
  }

  async #compact(capture: () => Iterable<Uint8Array>): Promise<void> {
    const number = this.#number + 1;
    let records: Iterable<Uint8Array> = [];
    await this.#writer.switchTo(async () => {
      const path = filePath(this.folder, 'log', number);
      const header = fileHeader(number);
      await writeFileAtomic(path, header);
      const handle = await this.#openFile(path);
      records = capture();
      this.#earlierBytes += this.#writer.end;
      this.#number = number;
      return { path, handle, end: header.length };
    });
    this.#earlierBytes = await writeSnapshot(filePath(this.folder, 'snapshot', number), number, records);
    await removeBefore(this.folder, number, await listFiles(this.folder));
  }
}

function openForWriting(path: string): Promise<LogHandle> {
  return open(path, 'r+').catch((error) => {
    throw new NearmissError(`${path}: cannot write: ${error.message}`, {
      hint: 'choose a state folder you may write to',
      cause: error,
    });
  });
}

function filePath(folder: string, kind: FileKind, number: number): string {
  return join(folder, `${kind}-${String(number).padStart(8, '0')}.wal`);
}

async function listFiles(folder: string): Promise<{ snapshots: number[]; logs: number[] }> {
  const numbers: Record<FileKind, number[]> = { snapshot: [], log: [] };
  for (const name of await readdir(folder)) {
    const match = /^(snapshot|log)-(\d{8,})\.wal$/.exec(name);
    if (match) numbers[match[1] as FileKind].push(Number(match[2]));
    else if (name.startsWith(PARTIAL_PREFIX)) await rm(join(folder, name), { force: true, recursive: true });
  }
  const ascending = (a: number, b: number): number => a - b;
  return { snapshots: numbers.snapshot.sort(ascending), logs: numbers.log.sort(ascending) };
}

async function removeBefore(
  folder: string,
  first: number,
  files: { snapshots: number[]; logs: number[] },
): Promise<void> {
  for (const number of files.snapshots.filter((each) => each < first)) {
    await rm(filePath(folder, 'snapshot', number), { force: true });
  }
  for (const number of files.logs.filter((each) => each < first)) {
    await rm(filePath(folder, 'log', number), { force: true });
  }
}

/** A snapshot appears after the log that follows it, and logs appear one after the other. */
function checkComplete(folder: string, first: number, logs: readonly number[], hasSnapshot: boolean): void {
  const gap = logs.findIndex((number, i) => number !== first + i);
  const missing = hasSnapshot && logs.length === 0 ? 0 : gap;
  if (missing < 0) return;
  throw new NearmissError(
    `${filePath(folder, 'log', first + missing)}: no such file, though others of the folder need it`,
    { hint: 'restore the folder from a backup' },
  );
}

/** Reads a file that was complete once: a snapshot, or a log that has a successor. Gives its bytes. */
async function readWhole(
  path: string,
  number: number,
  onRecord: (record: Buffer, where: string) => void,
): Promise<number> {
  const { end, size } = await readFrames(path, { number, onRecord });
  if (end < size) throw damaged(path, end, 'the file ends in an incomplete record');
  return size;
}

async function writeSnapshot(path: string, number: number, records: Iterable<Uint8Array>): Promise<number> {
  const file = await AtomicFile.create(path);
  try {
    await file.write(fileHeader(number));
    for (const record of records) await file.write(encodeFrame([record]));
    await file.commit();
    return file.position;
  } catch (error) {
    await file.abort();
    throw error;
  }
}
