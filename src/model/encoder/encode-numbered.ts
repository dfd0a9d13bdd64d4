import { encodeCollection } from './encode-collection.js';
import { OffsetsBuilder } from './encoded-texts.js';
import type { Encoder } from './encoder.js';
import { ShardFolder } from './shard-folder.js';
import type { NumberedTexts } from './tokenized-texts.js';

/** Texts in a shard: half a minute's work or so, which is what a kill can cost. */
const SHARD_SIZE = 2048;

export interface EncodeNumberedOptions {
  /** Finished shards are kept here until {@link EncodedCollection.remove}, so that a pass that was killed goes on. */
  directory: string;
  shardSize?: number;
  /** Told how many texts are done. */
  onProgress?: (texts: number) => void | Promise<void>;
  /** Ends the pass within a batch; finished shards stay. */
  signal?: AbortSignal;
}

/** A collection that was encoded, on disk: its rows need not fit in memory, nor in one array. */
export interface EncodedCollection {
  /** The rows of text `i` are `offsets[i] … offsets[i + 1] - 1`. */
  offsets: Uint32Array;
  /** All rows, a shard at a time. */
  shards(): AsyncGenerator<Float32Array>;
  /** Removes the shards. */
  remove(): Promise<void>;
}

/** Encodes a collection that was tokenised, onto the disk. */
export async function encodeNumbered(
  encoder: Encoder,
  texts: NumberedTexts,
  { directory, shardSize = SHARD_SIZE, onProgress, signal }: EncodeNumberedOptions,
): Promise<EncodedCollection> {
  // Shards of another precision are not those of this pass.
  const keep = new ShardFolder(
    encoder.precision === 'fp32' ? directory : `${directory}-${encoder.precision}`,
    encoder,
  );
  const offsets = new OffsetsBuilder();
  const sizes: number[] = [];
  let done = 0;
  const shards = encodeCollection(numbers(texts.count), {
    encode: async (members, onBatch) => encoder.encodeTokens(await texts.texts(members), { onBatch }),
    shardSize,
    keep,
    signal,
  });
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

function* numbers(count: number): Generator<number> {
  for (let number = 0; number < count; number++) yield number;
}
