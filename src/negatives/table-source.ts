import type { Random } from '../engine/random.js';
import { type CandidateTable, NONE } from './candidates.js';
import { sampleDistinct } from './sample-distinct.js';
import type { Negative, NegativeSource } from './sampler.js';

/** `uniform` over a query's candidates, or the more often the nearer to the top (`weighted`, by 1 / rank). */
export type Sampling = 'uniform' | 'weighted';

export interface TableSourceOptions {
  table: CandidateTable;
  /** Default: what the table's candidates came from, e.g. `ann`. */
  name?: string;
  /** Default `uniform`. */
  sampling?: Sampling;
  /** The last rank to sample from. Default: the table's depth. */
  depth?: number;
}

/** Documents that a ranker put near the top: BM25 negatives, ANN negatives, negatives from a file. */
export class TableSource implements NegativeSource {
  readonly name: string;
  readonly #table: CandidateTable;
  readonly #sampling: Sampling;
  readonly #depth: number;

  constructor({ table, name, sampling = 'uniform', depth = table.depth }: TableSourceOptions) {
    this.name = name ?? table.provenance.source;
    this.#table = table;
    this.#sampling = sampling;
    this.#depth = depth;
  }

  sample(query: number, random: Random, count: number): Negative[] {
    const { ids, scores, ranks } = this.#table.row(query);
    const checkpoint = this.#table.checkpoints[query];
    const beyond = ranks.findIndex((rank) => rank > this.#depth);
    const available = beyond < 0 ? ids.length : beyond;
    const places =
      this.#sampling === 'weighted'
        ? sampleByRank(random, ranks.subarray(0, available), count)
        : sampleDistinct(random, available, count);
    return places.map((place) => ({
      document: ids[place],
      source: this.name,
      rank: ranks[place],
      ...(!Number.isNaN(scores[place]) && { score: scores[place] }),
      ...(checkpoint !== NONE && { checkpoint }),
    }));
  }
}

/**
 * Places drawn one after the other without replacement, each with a chance in proportion to 1 / rank. Ordering by
 * −ln(u) / weight does that in one pass (Efraimidis and Spirakis 2006).
 */
function sampleByRank(random: Random, ranks: Int32Array, count: number): number[] {
  const keys = Float64Array.from(ranks, (rank) => -Math.log(1 - random.uniform()) * rank);
  const places = Array.from(ranks, (_, place) => place);
  return places.sort((a, b) => keys[a] - keys[b]).slice(0, count);
}
