import { crc32 } from 'node:zlib';
import { NearmissError } from '../errors.js';
import type { RandomAccessFile } from '../random-access-file.js';
import { damagedAt } from './damage.js';
import type { FileKind } from './log-files.js';

/**
 * The first bytes of every file: magic (6 bytes), format version u16, file number u32, then
 *
 *   version 2: kind u32, the chain that its first frame goes on from (frames.ts) u32
 *
 * and the CRC-32 of all that. All numbers are little endian. Version 1 has no chain; it is read, not written.
 */
export interface FileHeader {
  version: 1 | 2;
  bytes: number;
  /** What a snapshot's next log goes on from, too. */
  chain?: number;
}

/** The version that is written. */
export const FORMAT_VERSION = 2;

const MAGIC = 'nmlive';
const KINDS: Record<FileKind, number> = { log: 1, snapshot: 2 };
const HEADER_BYTES = { 1: 16, 2: 24 } as const;

export interface NamedFile {
  kind: FileKind;
  number: number;
}

export function encodeFileHeader({ kind, number }: NamedFile, chain: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES[FORMAT_VERSION]);
  writeStart(header, FORMAT_VERSION, number);
  header.writeUInt32LE(KINDS[kind], 12);
  header.writeUInt32LE(chain, 16);
  return seal(header);
}

/** Reads a file's header; one that is not the file's own is an error. */
export async function readFileHeader(file: RandomAccessFile, name: NamedFile): Promise<FileHeader> {
  const start = Buffer.alloc(8);
  if (file.size >= start.length) await file.readInto(start, 0);
  const version = start.readUInt16LE(6);
  const isOurs = start.toString('latin1', 0, 6) === MAGIC;
  if (isOurs && version !== 1 && version !== FORMAT_VERSION) {
    throw new NearmissError(`${file.path}: expected format version 1 or ${FORMAT_VERSION}, got ${version}`, {
      hint: 'open it with the version of nearmiss that wrote it',
    });
  }
  const bytes = version === 1 ? HEADER_BYTES[1] : HEADER_BYTES[FORMAT_VERSION];
  const header = Buffer.alloc(bytes);
  if (isOurs && file.size >= bytes) await file.readInto(header, 0);
  const chain = version === 1 ? undefined : header.readUInt32LE(16);
  const expected = chain === undefined ? encodeFirstVersion(name.number) : encodeFileHeader(name, chain);
  if (header.equals(expected)) return { version: version as 1 | 2, bytes, chain };
  throw damagedAt(file.path, 0, `expected the header of ${name.kind} ${name.number}, got something else`);
}

function encodeFirstVersion(number: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES[1]);
  writeStart(header, 1, number);
  return seal(header);
}

function writeStart(header: Buffer, version: number, number: number): void {
  header.write(MAGIC, 'latin1');
  header.writeUInt16LE(version, 6);
  header.writeUInt32LE(number, 8);
}

function seal(header: Buffer): Buffer {
  const end = header.length - 4;
  header.writeUInt32LE(crc32(header.subarray(0, end)), end);
  return header;
}
