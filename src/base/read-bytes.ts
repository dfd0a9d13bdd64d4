import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { hasCode, NearmissError } from './errors.js';

const CHUNK_BYTES = 256 * 1024;

/**
 * The bytes of a text in UTF-8. UTF-16, which Excel calls "Unicode text" and old editors of Windows "Unicode", is known by
 * the mark at its beginning and converted.
 */
export async function* readUtf8(path: string): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | undefined;
  let isFirst = true;
  for await (const chunk of readBytes(path)) {
    if (isFirst) decoder = utf16Decoder(chunk);
    isFirst = false;
    yield decoder === undefined ? chunk : Buffer.from(decoder.decode(chunk, { stream: true }));
  }
  const rest = decoder?.decode() ?? '';
  if (rest !== '') yield Buffer.from(rest);
}

/**
 * Streams a file's bytes; gzip is recognised by its first bytes and unpacked, `-` is standard input.
 * What goes wrong is told with the file's name.
 */
async function* readBytes(path: string): AsyncGenerator<Buffer> {
  const stream: Readable =
    path === '-' ? process.stdin : createReadStream(path, { highWaterMark: CHUNK_BYTES });
  try {
    const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
    const first = await chunks.next();
    if (first.done) return;
    const all = prepend(first.value, chunks);
    yield* isGzip(first.value) ? gunzip(all) : all;
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    // Whoever stops reading before the end leaves the iterators suspended: the file is closed here.
    stream.destroy();
  }
}

function utf16Decoder(start: Buffer): TextDecoder | undefined {
  const mark = start.length >= 2 ? start.readUInt16BE(0) : 0;
  if (mark === 0xfffe) return new TextDecoder('utf-16le');
  return mark === 0xfeff ? new TextDecoder('utf-16be') : undefined;
}

async function* prepend(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

async function* gunzip(compressed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
  // A failure reaches the reader through the destroyed stream, so the callback has nothing to add.
  pipeline(Readable.from(compressed), unpacked, () => undefined);
  for await (const chunk of unpacked) yield chunk as Buffer;
}

function isGzip(bytes: Buffer): boolean {
  return bytes.length >= 2 && bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function unreadable(path: string, error: unknown): unknown {
  if (error instanceof NearmissError || !(error instanceof Error)) return error;
  if (hasCode(error, 'ENOENT')) {
    return new NearmissError(`${path}: no such file`, { hint: 'check the path', cause: error });
  }
  if (hasCode(error, 'EISDIR')) {
    return new NearmissError(`${path}: expected a file, got a folder`, {
      hint: 'name a file inside it',
      cause: error,
    });
  }
  if ('code' in error && String(error.code).startsWith('Z_')) {
    return new NearmissError(`${path}: broken gzip data: ${error.message}`, {
      hint: 'the file is cut off or damaged: copy or download it again',
      cause: error,
    });
  }
  return new NearmissError(`${path}: cannot read: ${error.message}`, {
    hint: 'check that you may read the file',
    cause: error,
  });
}
