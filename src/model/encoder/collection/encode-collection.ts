import type { EncodedTexts } from '../encoded-texts.js';
import type { OnBatch } from '../text-rows.js';
import type { ShardFolder } from './shard-folder.js';

export interface EncodeCollectionOptions<Member> {
  /**
   * Makes rows of consecutive members. Those of a shard are sorted by length and encoded in batches of a token budget,
   * so its rows depend on the model and on its members, and on nothing else.
   */
  encode(members: readonly Member[], onBatch: OnBatch): Promise<EncodedTexts>;
  /** Members of a shard. */
  shardSize: number;
  /**
   * Characters of a member, where members are texts: long ones end their shard early, so that memory does not depend on
   * what the texts are.
   */
  charactersOf?(member: Member): number;
  /** Finished shards are kept there, and those that are there already are not encoded again. */
  keep?: ShardFolder;
  /** Told after each batch how many texts and tokens it had. */
  onBatch?: OnBatch;
  /** Ends the work within a batch; finished shards stay. */
  signal?: AbortSignal;
}

/** Consecutive members of a collection and what they became. */
export interface EncodedShard<Member> extends EncodedTexts {
  members: readonly Member[];
}

const SHARD_CHARACTERS = 16 * 1024 * 1024;

/**
 * Encodes a collection of any size in bounded memory: a shard at a time, given back in the order it came.
 *
 * @param members texts, records or numbers: whatever `encode` makes rows of
 *
 * @example
 * const shards = encodeCollection(dataset.queries(), {
 *   encode: (queries) => encoder.encode(queries.map(({ text }) => text), { use: 'query' }),
 *   shardSize: 4096,
 * });
 * for await (const { members, ...encoded } of shards) await writer.write(encoded, members.map(({ id }) => id));
 */
export async function* encodeCollection<Member>(
  members: AsyncIterable<Member> | Iterable<Member>,
  { encode, keep, onBatch, signal, ...limits }: EncodeCollectionOptions<Member>,
): AsyncGenerator<EncodedShard<Member>> {
  const endOfBatch: OnBatch = (done) => {
    onBatch?.(done);
    signal?.throwIfAborted();
  };
  let shard = 0;
  for await (const part of shardsOf(members, limits)) {
    signal?.throwIfAborted();
    let encoded = await keep?.find(shard, part.length);
    if (!encoded) {
      encoded = await encode(part, endOfBatch);
      await keep?.add(shard, encoded);
    }
    shard++;
    yield { members: part, ...encoded };
  }
}

/** Consecutive members, as many as a shard has. */
export async function* shardsOf<Member>(
  members: AsyncIterable<Member> | Iterable<Member>,
  { shardSize, charactersOf }: Pick<EncodeCollectionOptions<Member>, 'shardSize' | 'charactersOf'>,
): AsyncGenerator<Member[]> {
  let shard: Member[] = [];
  let characters = 0;
  for await (const member of members) {
    shard.push(member);
    characters += charactersOf?.(member) ?? 0;
    if (shard.length < shardSize && characters < SHARD_CHARACTERS) continue;
    yield shard;
    shard = [];
    characters = 0;
  }
  if (shard.length > 0) yield shard;
}
