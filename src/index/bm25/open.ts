import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { hasCode, NearmissError } from '../../base/errors.js';
import { readJsonFile } from '../../base/json-file.js';
import { Bm25Index, type IndexBuffers } from './bm25-index.js';
import { type Bm25Meta, META_FILE, metaSchema } from './format.js';
import { FILES, VECTOR_FILES } from './layout.js';

/** Node.js reads at most 2 GB at once. */
const READ_BYTES = 1 << 28;

const REBUILD = 'build the index again with "nearmiss bm25 index"';

/**
 * Opens an index: its files are read into shared memory as they are (nothing is parsed), and their checksums are
 * compared with those written down when it was built.
 *
 * @example
 * const index = await openBm25Index('indexes/scifact');
 * const searcher = new Bm25Searcher(index);
 */
export async function openBm25Index(folder: string): Promise<Bm25Index> {
  const meta = await readJsonFile(join(folder, META_FILE), metaSchema, {
    hint: `is this the folder of a BM25 index of this version? If so, ${REBUILD}`,
  });
  const names = { ...FILES, ...(VECTOR_FILES.vectors in meta.files ? VECTOR_FILES : {}) };
  const buffers = await Promise.all(
    Object.entries(names).map(async ([key, name]) => [key, await readFileOf(folder, name, meta)] as const),
  );
  return new Bm25Index(meta, Object.fromEntries(buffers) as IndexBuffers);
}

async function readFileOf(folder: string, name: string, meta: Bm25Meta): Promise<SharedArrayBuffer> {
  const path = join(folder, name);
  const expected = meta.files[name];
  if (expected === undefined) {
    throw new NearmissError(`${join(folder, META_FILE)}: field "files": expected "${name}", got nothing`, {
      hint: REBUILD,
    });
  }
  const handle = await open(path, 'r').catch((error) => {
    const reason = hasCode(error, 'ENOENT') ? 'no such file' : `cannot read: ${error.message}`;
    throw new NearmissError(`${path}: ${reason}`, {
      hint: `the index is not complete; ${REBUILD}`,
      cause: error,
    });
  });
  try {
    const { size } = await handle.stat();
    if (size !== expected.bytes) {
      throw new NearmissError(`${path}: expected ${expected.bytes} bytes, got ${size}`, {
        hint: `the file was cut or changed after it was written; ${REBUILD}`,
      });
    }
    const buffer = new SharedArrayBuffer(size);
    let crc = 0;
    for (let at = 0; at < size; ) {
      const piece = Buffer.from(buffer, at, Math.min(READ_BYTES, size - at));
      const { bytesRead } = await handle.read(piece, 0, piece.length, at);
      // Cut since its size was asked for: the checksum says so.
      if (bytesRead === 0) break;
      crc = crc32(piece.subarray(0, bytesRead), crc);
      at += bytesRead;
    }
    if (crc !== expected.crc32) {
      throw new NearmissError(`${path}: expected checksum ${expected.crc32}, got ${crc}`, {
        hint: `the file is damaged; ${REBUILD}`,
      });
    }
    return buffer;
  } finally {
    await handle.close();
  }
}
