import { type EncodedShard, shardsOf } from '../model/encoder/encode-collection.js';
import type { EncodeJob } from './encode-job.js';
import type { FleetEncoder } from './fleet-encoder.js';

export interface EncodeOnFleetOptions<Member> {
  fleet: FleetEncoder;
  textOf(member: Member): string;
  /** Members of a shard: half a minute's work of a worker or so. */
  shardSize: number;
}

/** Shards that are asked for before the first of them is needed: as many workers can be busy. */
const AHEAD = 64;

/** Like `encodeCollection`, on the workers of a queue: shards come back in the order of the members. */
export async function* encodeOnFleet<Member>(
  members: AsyncIterable<Member> | Iterable<Member>,
  { fleet, textOf, shardSize }: EncodeOnFleetOptions<Member>,
): AsyncGenerator<EncodedShard<Member>> {
  const asked: { members: Member[]; texts: string[]; job: EncodeJob }[] = [];
  const first = async (): Promise<EncodedShard<Member>> => {
    const { members, texts, job } = asked.shift()!;
    return { members, ...(await fleet.rows(job, texts)) };
  };
  const charactersOf = (member: Member): number => textOf(member).length;
  for await (const part of shardsOf(members, { shardSize, charactersOf })) {
    const texts = part.map(textOf);
    asked.push({ members: part, texts, job: await fleet.ask(texts) });
    if (asked.length >= AHEAD) yield await first();
  }
  while (asked.length > 0) yield await first();
}
