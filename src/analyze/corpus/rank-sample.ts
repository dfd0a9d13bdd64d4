import { mean } from '../../base/numbers/mean.js';
import { stackRows } from '../../model/encoder/encoded-texts.js';
import type { ExactCorpus } from '../../run/exact-corpus.js';
import type { SampledQuery } from './sample.js';

/** What is kept of a sampled query's exact ranking of the whole collection. */
export interface RankedSample {
  /** The best documents that are not known to be relevant, best first. */
  topNegatives: Int32Array;
  /** Scores at {@link logRanks} of the collection's size. */
  scores: Float64Array;
  /** Mean score over the collection. */
  average: number;
  positiveScore: number;
  /** From 1. */
  positiveRank: number;
}

/** Points of a long-tail curve in each factor of ten. */
const RANKS_PER_DECADE = 20;

/** Ranks from 1 to `count`, evenly spaced on a logarithmic axis. */
export function logRanks(count: number): number[] {
  const steps = Math.ceil(Math.log10(Math.max(count, 1)) * RANKS_PER_DECADE);
  const ranks = Array.from({ length: steps }, (_, i) => Math.round(10 ** (i / RANKS_PER_DECADE)));
  return [...new Set([...ranks.filter((rank) => rank < count), count])];
}

/** Ranks the whole collection exactly for each sampled query and keeps what the analyses need. */
export async function rankSample(
  corpus: ExactCorpus,
  queries: readonly SampledQuery[],
  options: { depth: number; onQuery?: () => void },
): Promise<RankedSample[]> {
  const ranks = logRanks(corpus.count);
  const ranked: RankedSample[] = [];
  for await (const { place, documents, scores } of corpus.rankAll(
    stackRows(
      queries.map(({ vector }) => vector),
      corpus.dimension,
    ),
  )) {
    const { positive, positives } = queries[place];
    const positiveAt = documents.indexOf(positive);
    const known = new Set(positives);
    const enough = documents.subarray(0, options.depth + known.size);
    ranked.push({
      topNegatives: enough.filter((document) => !known.has(document)).slice(0, options.depth),
      scores: Float64Array.from(ranks, (rank) => scores[rank - 1]),
      average: mean(scores),
      positiveScore: scores[positiveAt],
      positiveRank: positiveAt + 1,
    });
    options.onQuery?.();
  }
  return ranked;
}
