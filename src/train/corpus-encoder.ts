import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/files.js';
import type { Encoder } from '../model/index.js';
import type { TokenizedCollection } from './training-data.js';

/** Documents in a shard: half a minute's work or so, which is what a kill can cost. */
const SHARD_SIZE = 2048;

export interface EncodeCorpusOptions {
  documents: TokenizedCollection;
  encoder: Encoder;
  /** Finished shards are kept here until the whole pass is done, so that a killed pass goes on. */
  directory: string;
  shardSize?: number;
  onProgress?: (documents: number) => void | Promise<void>;
}

export interface EncodedCorpus {
  /** One row a document, or a piece of one. */
  vectors: Float32Array;
  /** The document of each row, where documents have several. */
  documentOf?: Int32Array;
}

/**
 * Encodes a collection shard by shard. A shard's vectors depend only on the model and the shard, so whoever finds a
 * finished one on disk may take it.
 */
export async function encodeCorpus(options: EncodeCorpusOptions): Promise<EncodedCorpus> {
  const { documents, encoder, directory, shardSize = SHARD_SIZE } = options;
  await mkdir(directory, { recursive: true });
  const shards: Float32Array[] = [];
  const documentOf: number[] = [];
  for (let start = 0; start < documents.count; start += shardSize) {
    const members = Array.from({ length: Math.min(shardSize, documents.count - start) }, (_, i) => start + i);
    const { texts, offsets } = await documents.texts(members);
    members.forEach((member, i) => {
      for (let row = offsets[i]; row < offsets[i + 1]; row++) documentOf.push(member);
    });
    const path = join(directory, `shard-${String(start / shardSize).padStart(5, '0')}.f32`);
    const expected = texts.length * encoder.dimension;
    shards.push(
      (await readShard(path, expected)) ?? (await writeShard(path, await encoder.encodeTokens(texts))),
    );
    await options.onProgress?.(start + members.length);
  }
  const single = documentOf.length === documents.count;
  return { vectors: concatenate(shards), ...(!single && { documentOf: Int32Array.from(documentOf) }) };
}

/** Forgets the shards of a finished pass. */
export async function removeShards(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
}

async function readShard(path: string, length: number): Promise<Float32Array | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes?.length !== 4 * length) return undefined;
  const vectors = new Float32Array(length);
  new Uint8Array(vectors.buffer).set(bytes);
  return vectors;
}

async function writeShard(path: string, vectors: Float32Array): Promise<Float32Array> {
  await writeFileAtomic(path, new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength));
  return vectors;
}

function concatenate(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
