import { crc32 } from 'node:zlib';
import { RandomAccessFile } from '../random-access-file.js';
import { type DamagedLogError, damagedAt } from './damage.js';
import { FORMAT_VERSION, type NamedFile, readFileHeader } from './file-header.js';
import { type ChainPlace, FRAME_FORMATS, type FrameFormat, splitRecords } from './frames.js';

export interface ReadFramesOptions extends NamedFile {
  onRecord: (record: Buffer, where: string) => void;
  /** The file that comes before it and the chain that it ends with, where that is known. */
  follows?: { name: string; chain: number };
  /** Up to where the file was certainly written, and the chain there. */
  written?: { bytes: number; chain: number };
}

export interface FramesRead {
  /** Where the last complete frame ends. */
  end: number;
  /** The file's bytes; more than `end` where a write was cut short. */
  size: number;
  /** The place behind the last complete frame. */
  place: ChainPlace;
  /** What the first frame went on from. */
  startChain: number;
  /** Whether it is of the version that is written now. */
  isCurrent: boolean;
}

/** A disk writes a sector whole or not at all. */
const SECTOR_BYTES = 512;
const ZEROS = Buffer.alloc(64 * 1024);

/**
 * Reads every record. A log's last frame may be incomplete, which is not an error: nobody was told that it was written.
 * Everything else that is not as it was written is one.
 */
export async function readFrames(path: string, options: ReadFramesOptions): Promise<FramesRead> {
  const file = await RandomAccessFile.open(path);
  try {
    const header = await readFileHeader(file, options);
    const startChain = header.chain ?? 0;
    const { follows } = options;
    if (header.chain !== undefined && follows && header.chain !== follows.chain) {
      throw damagedAt(path, 0, `expected a file that goes on where ${follows.name} ends, got another`);
    }
    const reader = new FrameReader(file, FRAME_FORMATS[header.version], options);
    const { end, place } = await reader.readFrom(header.bytes, { frames: 0, chain: startChain });
    return { end, size: file.size, place, startChain, isCurrent: header.version === FORMAT_VERSION };
  } finally {
    await file.close();
  }
}

class FrameReader {
  readonly #file: RandomAccessFile;
  readonly #format: FrameFormat;
  readonly #options: ReadFramesOptions;
  readonly #hasEndFrame: boolean;

  constructor(file: RandomAccessFile, format: FrameFormat, options: ReadFramesOptions) {
    this.#file = file;
    this.#format = format;
    this.#options = options;
    this.#hasEndFrame = options.kind === 'snapshot' && format === FRAME_FORMATS[2];
  }

  async readFrom(start: number, first: ChainPlace): Promise<{ end: number; place: ChainPlace }> {
    const { onRecord } = this.#options;
    let [end, place] = [start, first];
    for (;;) {
      this.#checkWritten(end, place);
      const frame = await this.#readFrame(end, place);
      if (frame === undefined) break;
      const where = `${this.#file.path}: byte ${end}`;
      splitRecords(frame.payload, (record) => onRecord(record, where));
      end += this.#format.headerBytes + frame.payload.length;
      place = frame.after;
      if (frame.payload.length === 0) return this.#finish(end, place);
    }
    if (end < (this.#options.written?.bytes ?? 0)) throw this.#short(end);
    if (!this.#hasEndFrame) return { end, place };
    throw this.#damaged(
      end,
      `expected the snapshot's end after ${place.frames} frames, got the end of the file`,
    );
  }

  /** The frame at `start`, or nothing where the complete frames end. */
  async #readFrame(
    start: number,
    before: ChainPlace,
  ): Promise<{ payload: Buffer; after: ChainPlace } | undefined> {
    const { headerBytes } = this.#format;
    const rest = this.#file.size - start;
    if (rest < headerBytes) return undefined;
    const bytes = Buffer.alloc(headerBytes);
    await this.#file.readInto(bytes, start);
    const header = this.#format.parse(bytes, before);
    if (header === undefined) {
      if (await this.#neverArrived(start, headerBytes)) return undefined;
      throw this.#damaged(start, `the header of frame ${before.frames} does not match its checksum`);
    }
    if (header.misplaced !== undefined) throw this.#damaged(start, header.misplaced);
    const { length, after } = header;
    if (length > rest - headerBytes) return undefined;
    if (length === 0 && !this.#hasEndFrame)
      throw this.#damaged(start, 'expected a record, got an empty frame');
    const payload = Buffer.alloc(length);
    await this.#file.readInto(payload, start + headerBytes);
    if (crc32(payload) === header.payloadChecksum) return { payload, after };
    const isLast = length === rest - headerBytes;
    if (isLast && hasZeroSector(payload, start + headerBytes)) return undefined;
    throw this.#damaged(start, `frame ${before.frames} of ${length} bytes does not match its checksum`);
  }

  #finish(end: number, place: ChainPlace): { end: number; place: ChainPlace } {
    if (end === this.#file.size) return { end, place };
    throw this.#damaged(end, `expected nothing after the snapshot's end, got ${this.#file.size - end} bytes`);
  }

  #checkWritten(end: number, { chain }: ChainPlace): void {
    const { written } = this.#options;
    if (end === written?.bytes && chain !== written.chain) {
      throw this.#damaged(end, 'expected the frames that were written up to here, got those of another log');
    }
  }

  #short(end: number): DamagedLogError {
    const { bytes } = this.#options.written!;
    return this.#damaged(
      end,
      `expected complete frames up to byte ${bytes} at least, which were acknowledged`,
    );
  }

  #damaged(offset: number, what: string): DamagedLogError {
    return damagedAt(this.#file.path, offset, what);
  }

  /** After a power cut a file may have grown without its bytes having arrived: from `start` or from the next sector on. */
  async #neverArrived(start: number, headerBytes: number): Promise<boolean> {
    const sector = Math.ceil(start / SECTOR_BYTES) * SECTOR_BYTES;
    if (sector < start + headerBytes && sector < this.#file.size) return this.#isZero(sector);
    return this.#isZero(start);
  }

  async #isZero(start: number): Promise<boolean> {
    for (let at = start; at < this.#file.size; at += ZEROS.length) {
      const part = Buffer.alloc(Math.min(ZEROS.length, this.#file.size - at));
      await this.#file.readInto(part, at);
      if (!isZero(part)) return false;
    }
    return true;
  }
}

/**
 * Whether a sector's part of a frame never arrived. That tells a write that a power cut interrupted, which nobody was
 * told of, from one that was altered later.
 */
function hasZeroSector(payload: Buffer, offset: number): boolean {
  let start = 0;
  while (start < payload.length) {
    const end = Math.min(payload.length, start + SECTOR_BYTES - ((offset + start) % SECTOR_BYTES));
    if (isZero(payload.subarray(start, end))) return true;
    start = end;
  }
  return false;
}

function isZero(part: Buffer): boolean {
  return part.equals(ZEROS.subarray(0, part.length));
}
