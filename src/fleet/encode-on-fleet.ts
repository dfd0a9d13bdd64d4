import { type EncodedShard, shardsOf } from '../model/encoder/collection/encode-collection.js';
import { type EncodedCollection, gatherShards } from '../model/encoder/collection/encoded-collection.js';
import { ShardFolder } from '../model/encoder/collection/shard-folder.js';
import type { NumberedTexts } from '../model/encoder/tokenized-texts.js';
import type { AskedShard, FleetEncoder, ShardInput } from './fleet-encoder.js';

export interface EncodeOnFleetOptions<Member> {
  fleet: FleetEncoder;
  inputOf(members: readonly Member[]): ShardInput | Promise<ShardInput>;
  charactersOf?(member: Member): number;
  /** Members of a shard: half a minute's work of a worker or so. */
  shardSize: number;
}

/** Shards that are asked for before the first of them is needed: as many workers can be busy. */
const AHEAD = 64;

/** Like `encodeCollection`, on the workers of a queue: shards come back in the order of the members. */
export async function* encodeOnFleet<Member>(
  members: AsyncIterable<Member> | Iterable<Member>,
  { fleet, inputOf, charactersOf = () => 0, shardSize }: EncodeOnFleetOptions<Member>,
): AsyncGenerator<EncodedShard<Member>> {
  const asked: { members: Member[]; shard: AskedShard }[] = [];
  const first = async (): Promise<EncodedShard<Member>> => {
    const { members, shard } = asked.shift()!;
    return { members, ...(await fleet.rows(shard)) };
  };
  for await (const part of shardsOf(members, { shardSize, charactersOf })) {
    asked.push({ members: part, shard: await fleet.ask(await inputOf(part)) });
    if (asked.length >= AHEAD) yield await first();
  }
  while (asked.length > 0) yield await first();
}

export interface NumberedOnFleetOptions {
  /** Shards that came back are kept here until they are removed. */
  directory: string;
  shardSize?: number;
  onProgress?: (texts: number) => void | Promise<void>;
  signal?: AbortSignal;
}

/** Texts of a shard that a worker takes at once. */
const SHARD_SIZE = 512;

/** Like `encodeNumbered`, on the workers of a queue. */
export async function encodeNumberedOnFleet(
  fleet: FleetEncoder,
  texts: NumberedTexts,
  { directory, shardSize = SHARD_SIZE, onProgress, signal }: NumberedOnFleetOptions,
): Promise<EncodedCollection> {
  const keep = new ShardFolder(directory, fleet);
  const collection = await gatherShards(keptShards(), keep, { onProgress, signal });
  return {
    ...collection,
    async remove() {
      await fleet.forget();
      await collection.remove();
    },
  };

  async function* keptShards(): AsyncGenerator<EncodedShard<number>> {
    const numbers = Array.from({ length: texts.count }, (_, number) => number);
    const inputOf = (members: readonly number[]): Promise<ShardInput> => texts.texts(members);
    let place = 0;
    for await (const shard of encodeOnFleet(numbers, { fleet, inputOf, shardSize })) {
      signal?.throwIfAborted();
      await keep.add(place++, shard);
      yield shard;
    }
  }
}
