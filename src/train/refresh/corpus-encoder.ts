import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../base/files.js';
import type { Encoder } from '../../model/index.js';
import type { TokenizedCollection } from '../../run/training-data.js';

/** Documents in a shard: half a minute's work or so, which is what a kill can cost. */
const SHARD_SIZE = 2048;

export interface EncodeCorpusOptions {
  documents: TokenizedCollection;
  encoder: Encoder;
  /** Finished shards are kept here until the whole pass is done, so that a killed pass goes on. */
  directory: string;
  shardSize?: number;
  onProgress?: (documents: number) => void | Promise<void>;
  /** Ends the pass within a batch; finished shards stay. */
  signal?: AbortSignal;
}

export interface EncodedCorpus {
  /** The document of each vector, where documents have several. */
  documentOf?: Int32Array;
  /** The vectors, a shard at a time from disk: a collection's need not fit in memory, nor in one array. */
  shards(): AsyncGenerator<Float32Array>;
}

/**
 * Encodes a collection shard by shard. A shard's vectors depend only on the model and the shard, so whoever finds a
 * finished one on disk may take it.
 */
export async function encodeCorpus(options: EncodeCorpusOptions): Promise<EncodedCorpus> {
  const { documents, encoder, directory, shardSize = SHARD_SIZE, signal } = options;
  await mkdir(directory, { recursive: true });
  const paths: string[] = [];
  const documentOf: number[] = [];
  for (let start = 0; start < documents.count; start += shardSize) {
    const members = Array.from({ length: Math.min(shardSize, documents.count - start) }, (_, i) => start + i);
    const { texts, offsets } = await documents.texts(members);
    members.forEach((member, i) => {
      for (let row = offsets[i]; row < offsets[i + 1]; row++) documentOf.push(member);
    });
    const path = join(directory, `shard-${String(paths.length).padStart(5, '0')}.f32`);
    paths.push(path);
    if ((await sizeOf(path)) !== 4 * texts.length * encoder.dimension) {
      const vectors = await encoder.encodeTokens(texts, { onBatch: () => signal?.throwIfAborted() });
      await writeFileAtomic(path, new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength));
    }
    await options.onProgress?.(start + members.length);
  }
  return {
    ...(documentOf.length !== documents.count && { documentOf: Int32Array.from(documentOf) }),
    async *shards() {
      for (const path of paths) {
        signal?.throwIfAborted();
        yield readShard(path);
      }
    },
  };
}

/** Forgets the shards of a finished pass. */
export async function removeShards(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

async function readShard(path: string): Promise<Float32Array> {
  const { buffer, byteOffset, byteLength } = await readFile(path);
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
