import { mean } from '../../base/numbers/mean.js';
import { quantile, type Summary, summarize } from '../statistics.js';
import { logRanks, type RankedSample } from './rank-sample.js';

/** How scores fall with the rank (Fig. 3 of the ANCE paper); scores are those above the query's mean over all documents. */
export interface LongTail {
  queries: number;
  documents: number;
  ranks: number[];
  mean: number[];
  p10: number[];
  p90: number[];
  positive: {
    /** Mean score above the collection's mean. */
    score: number;
    rank: Summary;
    /** Share of the queries whose positive is first, and among the first ten. */
    first: number;
    firstTen: number;
  };
}

export function longTail(ranked: readonly RankedSample[], documents: number): LongTail {
  const ranks = logRanks(documents);
  const columns = ranks.map((_, i) =>
    Float64Array.from(ranked, ({ scores, average }) => scores[i] - average).sort(),
  );
  const positions = ranked.map(({ positiveRank }) => positiveRank);
  const within = (rank: number): number => mean(positions.map((position) => Number(position <= rank)));
  return {
    queries: ranked.length,
    documents,
    ranks,
    mean: columns.map(mean),
    p10: columns.map((column) => quantile(column, 0.1)),
    p90: columns.map((column) => quantile(column, 0.9)),
    positive: {
      score: mean(ranked.map(({ positiveScore, average }) => positiveScore - average)),
      rank: summarize(positions),
      first: within(1),
      firstTen: within(10),
    },
  };
}
