import { openDataset } from '../data/index.js';
import type { Run } from '../evaluate/index.js';
import { fuseRuns } from '../search/fusion/index.js';
import { openSearcher } from '../search/open/open-searcher.js';
import { searchQueries } from '../search/search-queries.js';
import { measureSystems } from './measure-systems.js';
import { recommend } from './recommend.js';
import { DEPTH, type SearchSystemsOptions } from './search-run.js';
import { type SplitQueries, splitQueries } from './split-queries.js';
import type { SystemsTable } from './system.js';
import { FUSION, tuneOnHalves } from './tune-on-halves.js';

export interface MeasureCollectionOptions extends SearchSystemsOptions {
  split: string;
  /** Default `minilm`, which comes with nearmiss. */
  model?: string;
  /** Default nDCG@10, RR@10 and R@100; the first decides. */
  measures?: readonly string[];
}

const MEASURES = ['nDCG@10', 'RR@10', 'R@100'];
const DEV = 'dev';

/**
 * Measures how well a collection is searched that nothing was trained for: by a model as published, by BM25, and by
 * both. Weights and what to use are decided on its dev split; where it has none, on the queries of the table itself.
 */
export async function measureCollection(
  path: string,
  { split, model = 'minilm', measures = MEASURES, ...options }: MeasureCollectionOptions,
): Promise<SystemsTable> {
  const dataset = await openDataset(path);
  const asked = await splitQueries(dataset, { split });
  const hasDev = split !== DEV && (await dataset.splits()).includes(DEV);
  const dev = hasDev ? await splitQueries(dataset, { split: DEV }) : asked;
  const searcher = await openSearcher(path, { ...options, model, modes: ['dense', 'bm25'] });
  const search = async ({ queries }: SplitQueries): Promise<[start: Run, bm25: Run]> => [
    await searchQueries(searcher, 'dense', { queries, depth: DEPTH }),
    await searchQueries(searcher, 'bm25', { queries, depth: DEPTH }),
  ];
  try {
    const [decides] = measures;
    const measuring = { measures, decides };
    const onDev = await search(dev);
    const tuned = tuneOnHalves(onDev, dev.qrels, { measure: decides, depth: DEPTH });
    const devRuns = { start: onDev[0], bm25: onDev[1], hybrid: tuned.run };
    const devMeasured = measureSystems(devRuns, dev.qrels, measuring);
    const best = recommend(devMeasured.values, 'start');
    const found = { split, queries: asked.queries.length, measure: decides, best };
    if (!hasDev) return { ...found, rows: devMeasured.rows };
    const [start, bm25] = await search(asked);
    const { weights } = tuned;
    const hybrid = fuseRuns([start, bm25], { ...FUSION, weights, depth: DEPTH, tag: 'hybrid' });
    return { ...found, rows: measureSystems({ start, bm25, hybrid }, asked.qrels, measuring).rows };
  } finally {
    await searcher.close();
  }
}
