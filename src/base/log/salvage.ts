import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { NearmissError } from '../errors.js';
import { RandomAccessFile } from '../random-access-file.js';
import { type NamedFile, readFileHeader } from './file-header.js';
import { FRAME_FORMATS, type FrameFormat, splitRecords } from './frames.js';
import { fileName, listFiles } from './log-files.js';
import { readFrames } from './read-frames.js';
import { WriteAheadLog } from './write-ahead-log.js';

export interface Salvaged {
  /** Records that were taken over. */
  records: number;
  /** What could not be read: file, first byte, bytes. */
  gaps: { path: string; start: number; bytes: number }[];
}

/** Looked at for the beginning of a frame at once. */
const WINDOW_BYTES = 1 << 20;
/** Records on their way to disk at the same time. */
const PIPELINED = 1000;

/**
 * Takes over all that can still be read of a damaged state folder into a new one, frame by frame; only the damaged
 * frames are left out. The damaged folder stays as it is.
 */
export async function salvageState(folder: string, target: string): Promise<Salvaged> {
  const present = await readdir(target).catch(() => []);
  if (present.length > 0) {
    throw new NearmissError(`${target}: expected a new or empty folder, got ${present[0]} in it`);
  }
  const files = await filesToRead(folder);
  if (files.length === 0) {
    throw new NearmissError(`${folder}: expected a folder of live documents, got no log and no snapshot`);
  }
  const log = await WriteAheadLog.open(target, { onRecord: () => undefined });
  const salvaged: Salvaged = { records: 0, gaps: [] };
  let waiting: Promise<void>[] = [];
  try {
    for (const name of files) {
      const path = join(folder, fileName(name.kind, name.number));
      for await (const found of framesIn(path, name)) {
        if ('bytes' in found) {
          salvaged.gaps.push({ path, ...found });
          continue;
        }
        splitRecords(found.payload, (record) => {
          waiting.push(log.append(record, () => void salvaged.records++));
        });
        if (waiting.length < PIPELINED) continue;
        await Promise.all(waiting);
        waiting = [];
      }
    }
    await Promise.all(waiting);
  } finally {
    await log.close();
  }
  return salvaged;
}

/** From the newest snapshot that is whole; where none is, everything in the order in which it came to be. */
async function filesToRead(folder: string): Promise<NamedFile[]> {
  const { snapshots, logs } = await listFiles(folder);
  let first = 0;
  for (const number of [...snapshots].reverse()) {
    const path = join(folder, fileName('snapshot', number));
    const isWhole = await readFrames(path, { kind: 'snapshot', number, onRecord: () => undefined }).then(
      ({ end, size }) => end === size,
      () => false,
    );
    if (!isWhole) continue;
    first = number;
    break;
  }
  return [
    ...snapshots.map((number) => ({ kind: 'snapshot', number }) as const),
    ...logs.map((number) => ({ kind: 'log', number }) as const),
  ]
    .filter(({ number }) => number >= first)
    .sort((a, b) => a.number - b.number || (a.kind === 'snapshot' ? -1 : 1));
}

type Found = { payload: Buffer } | { start: number; bytes: number };

async function* framesIn(path: string, name: NamedFile): AsyncGenerator<Found> {
  const file = await RandomAccessFile.open(path);
  try {
    const header = await readFileHeader(file, name).catch(() => undefined);
    const formats = header ? [FRAME_FORMATS[header.version]] : [FRAME_FORMATS[2], FRAME_FORMATS[1]];
    let gap: number | undefined = header ? undefined : 0;
    for (let at = header?.bytes ?? 0; at < file.size; ) {
      const frame = await frameAt(file, at, formats);
      if (frame) {
        if (gap !== undefined) yield { start: gap, bytes: at - gap };
        gap = undefined;
        yield { payload: frame.payload };
        at += frame.bytes;
      } else {
        gap ??= at;
        at = await nextHeader(file, at + 1, formats);
      }
    }
    if (gap !== undefined) yield { start: gap, bytes: file.size - gap };
  } finally {
    await file.close();
  }
}

const ANYWHERE = { frames: 0, chain: 0 };

async function frameAt(
  file: RandomAccessFile,
  start: number,
  formats: readonly FrameFormat[],
): Promise<{ payload: Buffer; bytes: number } | undefined> {
  for (const format of formats) {
    const { headerBytes } = format;
    if (file.size - start < headerBytes) continue;
    const bytes = Buffer.alloc(headerBytes);
    await file.readInto(bytes, start);
    const header = format.parse(bytes, ANYWHERE);
    if (!header || header.length > file.size - start - headerBytes) continue;
    const payload = Buffer.alloc(header.length);
    await file.readInto(payload, start + headerBytes);
    if (crc32(payload) === header.payloadChecksum) return { payload, bytes: headerBytes + header.length };
  }
  return undefined;
}

/** The next place from `start` on where a frame's header matches its own checksum; the file's end where there is none. */
async function nextHeader(
  file: RandomAccessFile,
  start: number,
  formats: readonly FrameFormat[],
): Promise<number> {
  const most = Math.max(...formats.map(({ headerBytes }) => headerBytes));
  for (let from = start; from < file.size; from += WINDOW_BYTES) {
    const window = Buffer.alloc(Math.min(WINDOW_BYTES + most, file.size - from));
    await file.readInto(window, from);
    for (let at = 0; at < Math.min(WINDOW_BYTES, window.length); at++) {
      const isHeader = ({ headerBytes, parse }: FrameFormat): boolean =>
        at + headerBytes <= window.length &&
        parse(window.subarray(at, at + headerBytes), ANYWHERE) !== undefined;
      if (formats.some(isHeader)) return from + at;
    }
  }
  return file.size;
}
