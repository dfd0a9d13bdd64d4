import { OffsetsBuilder } from '../encoded-texts.js';
import type { EncodedShard } from './encode-collection.js';
import type { ShardFolder } from './shard-folder.js';

/** A collection that was encoded, on disk: its rows need not fit in memory, nor in one array. */
export interface EncodedCollection {
  /** The rows of text `i` are `offsets[i] … offsets[i + 1] - 1`. */
  offsets: Uint32Array;
  /** All rows, a shard at a time. */
  shards(): AsyncGenerator<Float32Array>;
  /** Removes the shards. */
  remove(): Promise<void>;
}

export interface GatherOptions {
  /** Told how many texts are done. */
  onProgress?: (texts: number) => void | Promise<void>;
  signal?: AbortSignal;
}

/** The collection of which a folder keeps the shards, once they have all come by. */
export async function gatherShards(
  shards: AsyncIterable<EncodedShard<number>>,
  keep: ShardFolder,
  { onProgress, signal }: GatherOptions,
): Promise<EncodedCollection> {
  const offsets = new OffsetsBuilder();
  const sizes: number[] = [];
  let done = 0;
  for await (const shard of shards) {
    offsets.add(shard);
    sizes.push(shard.members.length);
    done += shard.members.length;
    await onProgress?.(done);
  }
  return {
    offsets: offsets.build(),
    async *shards() {
      for (const [shard, size] of sizes.entries()) {
        signal?.throwIfAborted();
        yield (await keep.read(shard, size)).vectors;
      }
    },
    remove: () => keep.remove(),
  };
}
