import { crc32 } from 'node:zlib';

/** A file as version 1 of the format wrote it: without kind, numbers, chain and end. */
export function firstFormatFile(number: number, frames: readonly (readonly string[])[]): Buffer {
  const header = Buffer.alloc(16);
  header.write('nmlive', 'latin1');
  header.writeUInt16LE(1, 6);
  header.writeUInt32LE(number, 8);
  header.writeUInt32LE(crc32(header.subarray(0, 12)), 12);
  return Buffer.concat([header, ...frames.map(firstFormatFrame)]);
}

function firstFormatFrame(records: readonly string[]): Buffer {
  const parts = records.flatMap((record) => [u32(record.length), Buffer.from(record)]);
  const payload = Buffer.concat(parts);
  const start = Buffer.concat([u32(payload.length), u32(crc32(payload))]);
  return Buffer.concat([start, u32(crc32(start)), payload]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
