import type { Qrels, Query } from '../data/dataset.js';
import type { Bm25Index } from '../index/bm25/bm25-index.js';
import type { RankOptions } from '../index/bm25/ranker.js';
import type { Rm3Options } from '../index/bm25/rm3.js';
import { Bm25SearchPool } from '../index/bm25/search-pool.js';
import { evaluate } from './evaluate.js';
import { parseMeasure } from './parse-measure.js';
import type { Ranking } from './run.js';

/** What to try; every list is tried against every other of its kind. */
export interface Bm25Grid {
  k1: readonly number[];
  b: readonly number[];
  /** Tried with the best k1 and b; nothing is expanded where it is left out. */
  rm3?: Required<{ [key in keyof Rm3Options]: readonly number[] }>;
}

const DEFAULT_BM25_GRID = {
  k1: [0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.1, 2.5],
  b: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
} as const satisfies Bm25Grid;

/** For frequencies that a model made, a hundred and not one for a word that counts: DeepCT's authors found k1 of 10 and 18. */
const WEIGHED_BM25_GRID = {
  k1: [1, 3, 6, 10, 15, 20, 30, 50, 80],
  b: [0.1, 0.3, 0.5, 0.7, 0.9],
} as const satisfies Bm25Grid;

/** What is worth trying on an index. */
export function usualGrid({ meta }: Bm25Index): Bm25Grid {
  return meta.weighed ? WEIGHED_BM25_GRID : DEFAULT_BM25_GRID;
}

export const DEFAULT_RM3_GRID = {
  feedbackDocuments: [5, 10, 20],
  feedbackTerms: [10, 20, 40],
  originalWeight: [0.3, 0.5, 0.7, 0.9],
} as const satisfies NonNullable<Bm25Grid['rm3']>;

export interface TuneBm25Options {
  /** What to maximise, e.g. `nDCG@10`. */
  measure: string;
  grid?: Bm25Grid;
  /** Documents retrieved for each query; by default what the measure looks at, or 1000. */
  depth?: number;
  threads?: number;
  onTrial?: (trial: Bm25Trial) => void;
}

/** One combination and the measure's mean over all judged queries. */
export interface Bm25Trial {
  k1: number;
  b: number;
  rm3?: Required<Rm3Options>;
  value: number;
}

/**
 * Tries k1 and b on a grid (and RM3 with the best of them) and returns all trials, best first; of equal ones the
 * first tried. The index is not rebuilt: nothing in it depends on these numbers.
 *
 * @example
 * const [best] = await tuneBm25(index, queries, await dataset.qrels('dev'), { measure: 'nDCG@10' });
 */
export async function tuneBm25(
  index: Bm25Index,
  queries: readonly Query[],
  qrels: Qrels,
  options: TuneBm25Options,
): Promise<Bm25Trial[]> {
  const grid = options.grid ?? usualGrid(index);
  const pool = new Bm25SearchPool(index, { threads: options.threads });
  const trials: Bm25Trial[] = [];
  const texts = queries.map(({ text }) => text);
  const measured = async (ranking: RankOptions): Promise<number> => {
    const found = await pool.search(texts, ranking);
    const rankings = new Map<string, Ranking>();
    found.forEach(({ ids, scores }, i) => {
      rankings.set(queries[i].id, { ids: Array.from(ids, (document) => index.documentId(document)), scores });
    });
    const { mean } = evaluate({ tag: 'trial', rankings }, qrels, [options.measure], { complete: true });
    return Object.values(mean)[0];
  };
  const attempt = async (k1: number, b: number, rm3?: Required<Rm3Options>): Promise<void> => {
    const k = options.depth ?? measureDepth(options.measure);
    const value = await measured({ k, scoring: { k1, b }, rm3 });
    trials.push({ k1, b, ...(rm3 && { rm3 }), value });
    options.onTrial?.(trials.at(-1)!);
  };
  try {
    for (const k1 of grid.k1) for (const b of grid.b) await attempt(k1, b);
    const { k1, b } = bestFirst(trials)[0];
    for (const rm3 of rm3Combinations(grid)) await attempt(k1, b, rm3);
  } finally {
    await pool.close();
  }
  return bestFirst(trials);
}

/** How many trials a grid means. */
export function gridSize(grid: Bm25Grid): number {
  return grid.k1.length * grid.b.length + rm3Combinations(grid).length;
}

function rm3Combinations({ rm3 }: Bm25Grid): Required<Rm3Options>[] {
  if (!rm3) return [];
  return rm3.feedbackDocuments.flatMap((feedbackDocuments) =>
    rm3.feedbackTerms.flatMap((feedbackTerms) =>
      rm3.originalWeight.map((originalWeight) => ({ feedbackDocuments, feedbackTerms, originalWeight })),
    ),
  );
}

function bestFirst(trials: readonly Bm25Trial[]): Bm25Trial[] {
  return [...trials].sort((x, y) => y.value - x.value);
}

/** As deep as the measure looks. */
function measureDepth(measure: string): number {
  return parseMeasure(measure).cutoff ?? 1000;
}
