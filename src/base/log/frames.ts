import { crc32 } from 'node:zlib';

/**
 * After its header a file is frames. A frame is the unit of an fsync and the next one is written only after it, so of a
 * log's frames only the last can be incomplete after a crash.
 *
 *   version 2: payload length u32, number of the frame in its file u32, CRC-32 of the payload, chain u32,
 *              CRC-32 of these 16 bytes, payload
 *   version 1: payload length u32, CRC-32 of the payload, CRC-32 of these 8 bytes, payload
 *
 * The chain is the CRC-32 of the header's first 12 bytes, begun with the chain of the frame before: a frame that is
 * missing, doubled or of another log is told from the one that belongs there. It goes on from file to file. A snapshot
 * ends with a frame without payload, whose number says how many frames came before it.
 */

/** A place between two frames. */
export interface ChainPlace {
  /** How many frames of the file come before it. */
  readonly frames: number;
  /** What they add up to, those of earlier files included. */
  readonly chain: number;
}

/** What a frame's header says. */
export interface FrameHeader {
  /** Bytes of the payload; 0 at the end of a snapshot. */
  length: number;
  payloadChecksum: number;
  /** The place behind the frame. */
  after: ChainPlace;
  /** What is wrong with the place where it was found. */
  misplaced?: string;
}

export interface FrameFormat {
  headerBytes: number;
  /** Gives nothing where the header does not match its own checksum. */
  parse(header: Buffer, before: ChainPlace): FrameHeader | undefined;
}

const FIRST_FORMAT: FrameFormat = {
  headerBytes: 12,
  parse(header, { frames, chain }) {
    const content = header.subarray(0, 8);
    if (crc32(content) !== header.readUInt32LE(8)) return undefined;
    return {
      length: header.readUInt32LE(0),
      payloadChecksum: header.readUInt32LE(4),
      after: { frames: frames + 1, chain: crc32(content, chain) },
    };
  },
};

const CHAINED_FORMAT: FrameFormat = {
  headerBytes: 20,
  parse(header, before) {
    if (crc32(header.subarray(0, 16)) !== header.readUInt32LE(16)) return undefined;
    const number = header.readUInt32LE(4);
    const chain = crc32(header.subarray(0, 12), before.chain);
    return {
      length: header.readUInt32LE(0),
      payloadChecksum: header.readUInt32LE(8),
      after: { frames: before.frames + 1, chain },
      misplaced: misplaced(before.frames, number, header.readUInt32LE(12) === chain),
    };
  },
};

export const FRAME_FORMATS: Record<1 | 2, FrameFormat> = { 1: FIRST_FORMAT, 2: CHAINED_FORMAT };

function misplaced(expected: number, number: number, isNext: boolean): string | undefined {
  if (number !== expected) return `expected frame ${expected} of the file, got frame ${number}`;
  return isNext ? undefined : `expected frame ${number} of this log, got frame ${number} of another one`;
}

/** Records as one frame, each preceded by its length; without records, the end of a snapshot. */
export function encodeFrame(
  records: readonly Uint8Array[],
  before: ChainPlace,
): { frame: Buffer; after: ChainPlace } {
  const start = CHAINED_FORMAT.headerBytes;
  const bytes = records.reduce((sum, record) => sum + 4 + record.length, 0);
  const frame = Buffer.alloc(start + bytes);
  let at = start;
  for (const record of records) {
    frame.writeUInt32LE(record.length, at);
    frame.set(record, at + 4);
    at += 4 + record.length;
  }
  frame.writeUInt32LE(bytes, 0);
  frame.writeUInt32LE(before.frames, 4);
  frame.writeUInt32LE(crc32(frame.subarray(start)), 8);
  const chain = crc32(frame.subarray(0, 12), before.chain);
  frame.writeUInt32LE(chain, 12);
  frame.writeUInt32LE(crc32(frame.subarray(0, 16)), 16);
  return { frame, after: { frames: before.frames + 1, chain } };
}

export function splitRecords(payload: Buffer, onRecord: (record: Buffer) => void): void {
  for (let at = 0; at < payload.length; ) {
    const length = payload.readUInt32LE(at);
    onRecord(payload.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
}
