import type { JudgedRanking } from './judged-ranking.js';

/** Computes a measure for one query; `level` is the lowest grade that counts as relevant. */
export type Compute = (ranking: JudgedRanking, level: number) => number;

/**
 * A measure with all its parameters. Make one from its name with `parseMeasure`, or write your own:
 *
 * @example
 * const firstHit: Measure = { ...parseMeasure('RR'), name: 'rank of first', compute: (r, level) => r.relevant(level).ranks[0] ?? 0 };
 */
export interface Measure {
  /** As it was asked for, e.g. `nDCG@10` or `ndcg_cut_10`; the key of its values in an evaluation. */
  readonly name: string;
  /** The name that trec_eval prints, where it has this measure. */
  readonly trecName?: string;
  readonly compute: Compute;
  /** The lowest relevant grade, when the measure fixes it itself (`P(rel=2)@5`). */
  readonly level?: number;
  /** Leaves hits without a judgment out of the ranking first. */
  readonly judgedOnly?: boolean;
  /** How the values of all queries become one. Default: their mean. */
  readonly summary?: 'mean' | 'geometric' | 'sum';
  /** Printed without decimals. */
  readonly integer?: boolean;
  /** trec_eval prints some measures for each query only, and some for all queries only. */
  readonly shown?: 'query' | 'all';
  /** What it needs beside run and qrels. */
  readonly needs?: 'answers';
  /** The rank after which it looks at nothing, where it has one. */
  readonly cutoff?: number;
  /** How deep in the ranking it looks for answers. */
  readonly depth?: number;
  /** Stands in the place of the value where the measure is a text. */
  readonly text?: (ranking: JudgedRanking) => string;
}
