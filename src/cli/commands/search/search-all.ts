import { Progress } from '../../../base/progress.js';
import { openDataset } from '../../../data/index.js';
import { writeRun } from '../../../evaluate/index.js';
import type { DocumentFilter } from '../../../search/filter/filter.js';
import type { SearchMode } from '../../../search/retrievers/retriever.js';
import type { Searcher } from '../../../search/searcher.js';
import { loadQueries } from '../../inputs/load-queries.js';

export interface SearchAllOptions {
  mode: SearchMode;
  k: number;
  filter?: DocumentFilter;
  /** The collection whose queries are searched. */
  queries: string;
  split?: string;
  /** The TREC run to write. */
  run: string;
  tag?: string;
}

/** Searches every query of a collection and writes what was found as a TREC run. */
export async function searchAll(searcher: Searcher, options: SearchAllOptions): Promise<void> {
  const { mode, k, filter, split, run, tag = mode } = options;
  const queries = await loadQueries(await openDataset(options.queries), split);
  const progress = new Progress({ label: `search (${mode})`, unit: 'queries', total: queries.length });
  const found = await searcher.retriever(mode).search(
    queries.map(({ text }) => text),
    { k, filter, onDone: (n) => progress.advance(n) },
  );
  const rankings = queries.map(({ id }, i) => {
    const scores = Float64Array.from(found[i], ({ score }) => score);
    return [id, { ids: found[i].map((hit) => hit.id), scores }] as const;
  });
  await writeRun(run, { tag, rankings: new Map(rankings) });
  progress.finish();
}
