import { NearmissError } from '../../base/errors.js';
import { bytesOf } from '../../base/numbers/bytes-of.js';
import { decodeBfloat16, decodeFloat16, encodeFloat16 } from '../../base/numbers/float16.js';
import type { RandomAccessFile } from '../../base/random-access-file.js';

/** The ways floats are stored in the files we read, all little endian. */
export type FloatType = 'f32' | 'f16' | 'bf16' | 'f64';

/** The ways we write them. */
export type StorageType = Extract<FloatType, 'f32' | 'f16'>;

export const FLOAT_BYTES: Record<FloatType, number> = { f32: 4, f16: 2, bf16: 2, f64: 8 };

/** Bytes converted at a time: large enough for fast reads, small enough to stay in the cache. */
const CHUNK_BYTES = 1 << 20;

export interface StoredFloats {
  file: RandomAccessFile;
  /** First byte in the file. */
  start: number;
  type: FloatType;
}

/** Fills `target` with floats stored from `start` on, converting a chunk at a time. */
export async function readFloats({ file, start, type }: StoredFloats, target: Float32Array): Promise<void> {
  if (type === 'f32') {
    await file.readInto(bytesOf(target), start);
    return;
  }
  const width = FLOAT_BYTES[type];
  const buffer = new ArrayBuffer(Math.min(CHUNK_BYTES, target.length * width));
  const perChunk = CHUNK_BYTES / width;
  for (let done = 0; done < target.length; done += perChunk) {
    const length = Math.min(perChunk, target.length - done);
    await file.readInto(new Uint8Array(buffer, 0, length * width), start + done * width);
    decode(buffer, type, target.subarray(done, done + length));
  }
}

function decode(bytes: ArrayBuffer, type: Exclude<FloatType, 'f32'>, target: Float32Array): void {
  if (type === 'f64') target.set(new Float64Array(bytes, 0, target.length));
  else if (type === 'f16') decodeFloat16(new Uint16Array(bytes, 0, target.length), target);
  else decodeBfloat16(new Uint16Array(bytes, 0, target.length), target);
}

/**
 * Yields the bytes that store `values`, a chunk at a time so that conversion needs little memory. A number too
 * large for half precision is an error, because it would come back as infinity.
 *
 * @param where named in the error, usually the file and what is in it
 */
export function* storedBytes(values: Float32Array, type: StorageType, where: string): Generator<Uint8Array> {
  if (type === 'f32') {
    yield bytesOf(values);
    return;
  }
  const perChunk = CHUNK_BYTES / FLOAT_BYTES.f16;
  for (let done = 0; done < values.length; done += perChunk) {
    const chunk = values.subarray(done, done + perChunk);
    const halves = new Uint16Array(chunk.length);
    encodeFloat16(chunk, halves);
    refuseOverflow(chunk, halves, where);
    yield new Uint8Array(halves.buffer);
  }
}

function refuseOverflow(values: Float32Array, halves: Uint16Array, where: string): void {
  for (let i = 0; i < halves.length; i++) {
    if ((halves[i] & 0x7fff) === 0x7c00 && Number.isFinite(values[i])) {
      throw new NearmissError(`${where}: ${values[i]} is too large for f16 (at most 65504)`, {
        hint: 'store as f32',
      });
    }
  }
}
