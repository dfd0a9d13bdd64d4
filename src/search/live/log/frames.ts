import { crc32 } from 'node:zlib';
import { NearmissError } from '../../../base/errors.js';
import { RandomAccessFile } from '../../../base/random-access-file.js';

/**
 * What every file of the log looks like: a header, then frames. A frame is the unit of an fsync and the next one is
 * written only after it, so of a log's frames only the last can be incomplete after a crash.
 *
 *   header: magic (6 bytes), format version u16, file number u32, CRC-32 of these 12 bytes
 *   frame:  payload length u32, CRC-32 of the payload, CRC-32 of these 8 bytes, payload
 *
 * All numbers are little endian.
 */
const MAGIC = 'nmlive';
const FORMAT_VERSION = 1;
const FILE_HEADER_BYTES = 16;
const FRAME_HEADER_BYTES = 12;
const ZEROS = Buffer.alloc(64 * 1024);

/** The first bytes of a file. */
export function fileHeader(number: number): Buffer {
  const header = Buffer.alloc(FILE_HEADER_BYTES);
  header.write(MAGIC, 'latin1');
  header.writeUInt16LE(FORMAT_VERSION, 6);
  header.writeUInt32LE(number, 8);
  header.writeUInt32LE(crc32(header.subarray(0, 12)), 12);
  return header;
}

/** Records as one frame, each preceded by its length. */
export function encodeFrame(records: readonly Uint8Array[]): Buffer {
  const bytes = records.reduce((sum, record) => sum + 4 + record.length, 0);
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + bytes);
  let at = FRAME_HEADER_BYTES;
  for (const record of records) {
    frame.writeUInt32LE(record.length, at);
    frame.set(record, at + 4);
    at += 4 + record.length;
  }
  frame.writeUInt32LE(bytes, 0);
  frame.writeUInt32LE(crc32(frame.subarray(FRAME_HEADER_BYTES)), 4);
  frame.writeUInt32LE(crc32(frame.subarray(0, 8)), 8);
  return frame;
}

export interface ReadFramesOptions {
  /** The number that the file must have. */
  number: number;
  onRecord: (record: Buffer, where: string) => void;
}

export interface FramesRead {
  /** Where the last complete frame ends. */
  end: number;
  /** The file's bytes; more than `end` where a write was cut short. */
  size: number;
}

/**
 * Reads every record. A frame that is cut short by the file's end is not an error: nobody was told that it was
 * written. A damaged frame that others follow is one.
 */
export async function readFrames(path: string, { number, onRecord }: ReadFramesOptions): Promise<FramesRead> {
  const file = await RandomAccessFile.open(path);
  try {
    await checkHeader(file, number);
    let end = FILE_HEADER_BYTES;
    for (;;) {
      const payload = await readFrame(file, end);
      if (payload === undefined) return { end, size: file.size };
      splitRecords(payload, `${path}: byte ${end}`, onRecord);
      end += FRAME_HEADER_BYTES + payload.length;
    }
  } finally {
    await file.close();
  }
}

async function checkHeader(file: RandomAccessFile, number: number): Promise<void> {
  const header = Buffer.alloc(FILE_HEADER_BYTES);
  await file.readInto(header, 0);
  if (header.equals(fileHeader(number))) return;
  const version = header.readUInt16LE(6);
  const isOther = header.toString('latin1', 0, 6) === MAGIC && version !== FORMAT_VERSION;
  throw new NearmissError(
    isOther
      ? `${file.path}: expected format version ${FORMAT_VERSION}, got ${version}`
      : `${file.path}: byte 0: expected the header of log file ${number}, got something else`,
    { hint: isOther ? 'open it with the version of nearmiss that wrote it' : RESTORE },
  );
}

/** The payload of the frame at `start`, or nothing where the file's complete frames end. */
async function readFrame(file: RandomAccessFile, start: number): Promise<Buffer | undefined> {
  const rest = file.size - start;
  if (rest < FRAME_HEADER_BYTES) return undefined;
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  await file.readInto(header, start);
  if (crc32(header.subarray(0, 8)) !== header.readUInt32LE(8)) {
    // After a power cut a file may have grown without its bytes having arrived.
    if (await isZero(file, start)) return undefined;
    throw damaged(file.path, start, 'the header of a record does not match its checksum');
  }
  const length = header.readUInt32LE(0);
  if (length > rest - FRAME_HEADER_BYTES) return undefined;
  const payload = Buffer.alloc(length);
  await file.readInto(payload, start + FRAME_HEADER_BYTES);
  if (crc32(payload) === header.readUInt32LE(4)) return payload;
  if (length === rest - FRAME_HEADER_BYTES) return undefined;
  throw damaged(file.path, start, `a record of ${length} bytes does not match its checksum`);
}

async function isZero(file: RandomAccessFile, start: number): Promise<boolean> {
  for (let at = start; at < file.size; at += ZEROS.length) {
    const part = Buffer.alloc(Math.min(ZEROS.length, file.size - at));
    await file.readInto(part, at);
    if (!part.equals(ZEROS.subarray(0, part.length))) return false;
  }
  return true;
}

function splitRecords(
  payload: Buffer,
  where: string,
  onRecord: (record: Buffer, where: string) => void,
): void {
  for (let at = 0; at < payload.length; ) {
    const length = payload.readUInt32LE(at);
    onRecord(payload.subarray(at + 4, at + 4 + length), where);
    at += 4 + length;
  }
}

const RESTORE = 'restore the folder from a backup; what was written before that place is intact';

/** The error for bytes that were written once and are not what they were. */
export function damaged(path: string, offset: number, what: string): NearmissError {
  return new NearmissError(`${path}: byte ${offset}: ${what}`, {
    hint: `${RESTORE} ("truncate -s ${offset}" keeps that and drops the rest)`,
  });
}
