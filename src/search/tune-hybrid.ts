import { NearmissError } from '../base/errors.js';
import { openDataset, type Query } from '../data/index.js';
import { parseMeasure, type Run } from '../evaluate/index.js';
import { tuneWeights } from './fusion/index.js';
import { beginSearcher } from './open/open-searcher.js';
import { resolveTarget } from './open/target.js';
import { type TunedFusion, writeTunedFusion } from './open/tuned-fusion.js';
import type { SearchMode } from './retrievers/retriever.js';
import { searchQueries } from './search-queries.js';
import type { OpenSearcherOptions } from './searcher.js';

export interface TuneHybridOptions extends OpenSearcherOptions {
  /** Judged queries to tune on; never those that are reported on. */
  split: string;
  /** Default `nDCG@10`. */
  measure?: string;
  /** Hits of each part that are fused. Default 200. */
  depth?: number;
  /** Told how many queries were searched. */
  onDone?: (queries: number) => void;
}

const DEFAULT_DEPTH = 200;
const PARTS: readonly SearchMode[] = ['dense', 'bm25'];

/**
 * Finds the weights with which vectors and words together find most, keeps them beside the target's other caches, and
 * `openSearcher` uses them from then on.
 *
 * @example
 * const { weights, value } = await tuneHybrid('runs/medquad', { split: 'dev', measure: 'RR@10' });
 */
export async function tuneHybrid(path: string, options: TuneHybridOptions): Promise<TunedFusion> {
  const { split, measure = 'nDCG@10', depth = DEFAULT_DEPTH, onDone, ...open } = options;
  const parsed = parseMeasure(measure);
  const { data, cache } = await resolveTarget(path, open);
  if (data === undefined) {
    throw new NearmissError(`${path}: there are no judged queries to tune on without the collection`, {
      hint: 'name it with --data',
    });
  }
  const dataset = await openDataset(data);
  const qrels = await dataset.qrels(split);
  const queries: Query[] = [];
  for await (const query of dataset.queries(split)) queries.push(query);
  const { opening } = await beginSearcher(path, { ...open, modes: ['hybrid'] });
  const searcher = await opening;
  try {
    const runs: Run[] = [];
    for (const mode of PARTS) runs.push(await searchQueries(searcher, mode, { queries, depth, onDone }));
    const method = { method: 'linear', normalization: 'none' } as const;
    const { weights, value } = tuneWeights(runs, qrels, parsed, { ...method, depth });
    const tuned = {
      version: searcher.indexVersion,
      ...method,
      weights,
      depth,
      split,
      measure,
      value,
      recommended: true,
    };
    await writeTunedFusion(cache, tuned);
    return tuned;
  } finally {
    await searcher.close();
  }
}
