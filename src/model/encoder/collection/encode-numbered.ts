import type { Encoder } from '../encoder.js';
import type { NumberedTexts } from '../tokenized-texts.js';
import { encodeCollection } from './encode-collection.js';
import { type EncodedCollection, gatherShards } from './encoded-collection.js';
import { ShardFolder } from './shard-folder.js';

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
  const shards = encodeCollection(numbers(texts.count), {
    encode: async (members, onBatch) => encoder.encodeTokens(await texts.texts(members), { onBatch }),
    shardSize,
    keep,
    signal,
  });
  return gatherShards(shards, keep, { onProgress, signal });
}

function* numbers(count: number): Generator<number> {
  for (let number = 0; number < count; number++) yield number;
}
