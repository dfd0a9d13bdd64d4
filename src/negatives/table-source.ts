import type { Random } from '../engine/random.js';
import { type CandidateTable, NONE } from './candidates/candidate-table.js';
import { sampleDistinct } from './sample-distinct.js';
import type { Negative, NegativeSource } from './sampler.js';

/**
 * `uniform` over a query's candidates, the more often the nearer to the top (`weighted`, by 1 / rank), or `balanced` over
 * ranges of their scores.
 */
export type Sampling = 'uniform' | 'weighted' | 'balanced';

/** As in TAS-B (Hofstätter et al. 2021). */
const SCORE_RANGES = 10;

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
    const places = {
      uniform: () => sampleDistinct(random, available, count),
      weighted: () => sampleByRank(random, ranks.subarray(0, available), count),
      balanced: () => sampleByScore(random, scores.subarray(0, available), count),
    }[this.#sampling]();
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

/**
 * Places drawn one after the other without replacement: first one of the ranges of scores that have any left, each as
 * likely, then one within it. Ranges are equally wide between the query's own least and largest score. A positive's score
 * shifts all margins alike, so that these are ranges of margins, too. Where all scores are the same, or there are none,
 * there is one range.
 */
function sampleByScore(random: Random, scores: Float32Array, count: number): number[] {
  const known = scores.filter((score) => !Number.isNaN(score));
  const least = known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const width = (known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY) - least) / SCORE_RANGES;
  const ranges = new Map<number, number[]>();
  scores.forEach((score, place) => {
    const range = width > 0 && !Number.isNaN(score) ? Math.floor((score - least) / width) : 0;
    // The largest score belongs to the last range.
    const at = Math.min(range, SCORE_RANGES - 1);
    ranges.set(at, [...(ranges.get(at) ?? []), place]);
  });
  const drawn: number[] = [];
  while (drawn.length < count && ranges.size > 0) {
    const at = [...ranges.keys()][random.integer(ranges.size)];
    const range = ranges.get(at)!;
    drawn.push(...range.splice(random.integer(range.length), 1));
    if (range.length === 0) ranges.delete(at);
  }
  return drawn;
}
