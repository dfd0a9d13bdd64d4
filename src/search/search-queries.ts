import type { Query } from '../data/index.js';
import { inRankOrder, type Run } from '../evaluate/index.js';
import type { SearchMode } from './retrievers/retriever.js';
import type { Searcher } from './searcher.js';

export interface SearchQueriesOptions {
  queries: readonly Query[];
  /** Hits of each query. */
  depth: number;
  /** Told how many queries were searched. */
  onDone?: (queries: number) => void;
}

/** What a searcher finds for queries, as a run that can be measured. */
export async function searchQueries(
  searcher: Pick<Searcher, 'retriever'>,
  mode: SearchMode,
  { queries, depth, onDone }: SearchQueriesOptions,
): Promise<Run> {
  const texts = queries.map(({ text }) => text);
  const found = await searcher.retriever(mode).search(texts, { k: depth, onDone });
  const rankings = queries.map(({ id }, i) => {
    const scores = Float64Array.from(found[i], ({ score }) => score);
    return [id, inRankOrder({ ids: found[i].map((hit) => hit.id), scores })] as const;
  });
  return { tag: mode, rankings: new Map(rankings) };
}
