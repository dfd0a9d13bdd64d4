import { randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NearmissError } from '../errors.js';
import { AtomicFile, writeFileAtomic } from '../files.js';
import { encodeFileHeader } from './file-header.js';
import { type ChainPlace, encodeFrame } from './frames.js';
import { fileName, removeSuperseded } from './log-files.js';
import { type LogHandle, type LogTarget, LogWriter } from './log-writer.js';
import { type Mark, MarkFile } from './mark.js';
import { readStateFolder } from './read-folder.js';
import { readFrames } from './read-frames.js';
import type { StateRead } from './read-state.js';

export interface OpenLogOptions {
  /** Told every record that is there, in order; `where` names its place for error messages. */
  onRecord: (record: Buffer, where: string) => void;
  /** Told when an unfinished write was cut off, and of other trouble that loses nothing. */
  onWarning?: (message: string) => void;
  /** Opens a log file for writing; there for tests of a failing disk. */
  openFile?: OpenFile;
}

type OpenFile = (path: string) => Promise<LogHandle>;

/**
 * Records that survive a crash, in a folder of numbered files: `snapshot-n` holds everything before `log-n` in short,
 * `log-n` and its successors what came after. A newer snapshot makes the files before it superfluous. No file is removed
 * before what replaces it has been read.
 *
 * @example
 * const log = await WriteAheadLog.open('state', { onRecord: (record) => replay(record) });
 * await log.append(record, () => apply(record)); // on disk and applied
 * await log.close();
 */
export class WriteAheadLog {
  readonly folder: string;
  readonly #openFile: OpenFile;
  readonly #writer: LogWriter;
  readonly #mark: MarkFile;
  /** Bytes in the files before the log that is written to. */
  #earlierBytes: number;
  #compacting: Promise<void> | undefined;

  private constructor(
    folder: string,
    { target, earlierBytes, mark }: { target: LogTarget; earlierBytes: number; mark: MarkFile },
    openFile: OpenFile,
  ) {
    this.folder = folder;
    this.#writer = new LogWriter(target, (durable) => mark.note(markOf(durable)));
    this.#mark = mark;
    this.#earlierBytes = earlierBytes;
    this.#openFile = openFile;
  }

  static async open(folder: string, options: OpenLogOptions): Promise<WriteAheadLog> {
    const { onRecord, onWarning = () => undefined, openFile = openForWriting } = options;
    await mkdir(folder, { recursive: true });
    const state = await readStateFolder(folder, { onRecord, onWarning });
    await removeSuperseded(folder, state.snapshot ?? 1);
    const place = await goOn(folder, state, openFile, onWarning);
    const mark = new MarkFile(folder, markOf(place.target));
    return new WriteAheadLog(folder, { ...place, mark }, openFile);
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#earlierBytes + this.#writer.target.end;
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
    await this.#mark.close();
  }

  async #compact(capture: () => Iterable<Uint8Array>): Promise<void> {
    const content = await this.#rotate(capture);
    this.#earlierBytes = await writeSnapshot(this.folder, content);
    await removeSuperseded(this.folder, content.number);
  }

  /** Goes on in the next log; gives what its snapshot is made of. */
  async #rotate(capture: () => Iterable<Uint8Array>): Promise<SnapshotContent> {
    let content: SnapshotContent | undefined;
    await this.#writer.switchTo(async () => {
      const { number, end, place } = this.#writer.target;
      content = { number: number + 1, chain: place.chain, records: capture() };
      const next = await createLog(this.folder, content, this.#openFile);
      this.#earlierBytes += end;
      return next;
    });
    return content!;
  }
}

function markOf({ number, end, place }: LogTarget): Mark {
  return { log: number, bytes: end, chain: place.chain };
}

/** Opens the log that was read last for writing, or the next one where that is new or of an earlier version. */
async function goOn(
  folder: string,
  { last, earlierBytes }: StateRead,
  openFile: OpenFile,
  onWarning: (message: string) => void,
): Promise<{ target: LogTarget; earlierBytes: number }> {
  if (last === undefined) {
    // Logs that have nothing to do with each other begin with different chains.
    const chain = randomBytes(4).readUInt32LE();
    return { target: await createLog(folder, { number: 1, chain }, openFile), earlierBytes };
  }
  const { number, end, size, place } = last;
  const path = join(folder, fileName('log', number));
  const handle = await openFile(path);
  if (end < size) {
    await handle.truncate(end);
    await handle.datasync();
    onWarning(`${path}: byte ${end}: cut off ${size - end} bytes of a write that was never acknowledged`);
  }
  if (last.isCurrent) return { target: { number, path, handle, end, place }, earlierBytes };
  await handle.close();
  const target = await createLog(folder, { number: number + 1, chain: place.chain }, openFile);
  return { target, earlierBytes: earlierBytes + end };
}

async function createLog(
  folder: string,
  { number, chain }: { number: number; chain: number },
  openFile: OpenFile,
): Promise<LogTarget> {
  const path = join(folder, fileName('log', number));
  const header = encodeFileHeader({ kind: 'log', number }, chain);
  try {
    await writeFileAtomic(path, header);
    return { number, path, handle: await openFile(path), end: header.length, place: { frames: 0, chain } };
  } catch (error) {
    // The log before it is written on, and one that goes on from its present end would not fit any more.
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
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

/** What goes into a snapshot: its number, the chain that it and its log go on from, its records. */
interface SnapshotContent {
  number: number;
  chain: number;
  records: Iterable<Uint8Array>;
}

/** Writes a snapshot and reads it again, since it is to replace other files; gives its bytes. */
async function writeSnapshot(folder: string, { number, chain, records }: SnapshotContent): Promise<number> {
  const path = join(folder, fileName('snapshot', number));
  const file = await AtomicFile.create(path);
  let place: ChainPlace = { frames: 0, chain };
  const write = async (...content: Uint8Array[]): Promise<void> => {
    const { frame, after } = encodeFrame(content, place);
    place = after;
    await file.write(frame);
  };
  try {
    await file.write(encodeFileHeader({ kind: 'snapshot', number }, chain));
    for (const record of records) await write(record);
    await write();
    await file.commit();
  } catch (error) {
    await file.abort();
    throw error;
  }
  const noted = { kind: 'snapshot', number, onRecord: () => undefined } as const;
  const { size } = await readFrames(path, noted).catch(async (error) => {
    await rm(path, { force: true });
    throw error;
  });
  return size;
}
