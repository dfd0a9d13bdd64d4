import type { Qrels } from '../data/index.js';
import type { Run } from '../evaluate/index.js';
import { MADE_SPLIT } from '../examples/index.js';
import { GENERATED_SPLIT } from '../generate/index.js';
import { openRunSplit } from '../run/collection/open-run-data.js';
import { ownQueries } from '../run/collection/own-queries.js';
import { labelledDocuments, queriesWithoutLabels } from '../run/collection/queries-without-labels.js';
import { type RunDescription, readRunDescription } from '../run/run-description.js';
import { RunDirectory } from '../run/run-directory.js';
import { fuseRuns } from '../search/fusion/index.js';
import { resolveTarget } from '../search/open/target.js';
import { writeTunedFusion } from '../search/open/tuned-fusion.js';
import { measureParts } from './measure-parts.js';
import { type MeasuredSystems, measureSystems } from './measure-systems.js';
import { isRecommendedHybrid, recommend, type Verdict, verdictOf } from './recommend.js';
import { DEPTH, type RunSearches, type SearchSystemsOptions, searchRun } from './search-run.js';
import { type SplitQueries, splitQueries } from './split-queries.js';
import type { SystemName, SystemsTable } from './system.js';
import { FUSION, tuneOnHalves } from './tune-on-halves.js';

/** What a run's systems measure on its dev queries, and what follows from it. */
export interface DevOutcome extends SystemsTable {
  /** Which model is in `best/`. */
  serves: 'start' | 'trained';
  /** How the trained model compares with what it started from. */
  verdict: Verdict;
  /** Queries that were learned from. */
  labels: number;
  /**
   * Where the run began with a part of a model (fewer layers, shorter texts, another head): the whole one, which `start`
   * is then, and the collection to search with it. `best/` holds the part, trained or not.
   */
  published?: { model: string; data: string };
  /** Absent where the dev queries were made of the documents: they have their words, and would overrate BM25. */
  hybrid?: { weights: number[]; recommended: boolean };
}

export interface MeasureRunOptions extends SearchSystemsOptions {
  /** The run's collection, where that is not where the run says. */
  data?: string;
}

/**
 * Measures start, BM25, hybrid and trained model on a run's dev queries, tunes the hybrid's weights there and keeps them
 * with the run.
 */
export async function measureOnDev(path: string, options: MeasureRunOptions = {}): Promise<DevOutcome> {
  const opened = await openForMeasuring(path, options);
  const { run, description, dataset, training } = opened;
  const { evaluation, seed } = description.recipe;
  const { split, queries: limit, best: decides } = evaluation;
  const asked = await splitQueries(dataset, { split, limit, seed });
  const found = await searchRun(run, description, asked, options);
  if (split === MADE_SPLIT || split === GENERATED_SPLIT) return measureMade(opened, asked, found);
  const tuned = tuneOnHalves([found.served, found.bm25], asked.qrels, { measure: decides, depth: DEPTH });
  const { rows, parts, values, withoutLabels } = measureFound(found, tuned.run, asked, {
    description,
    training,
  });
  const recommended = isRecommendedHybrid(values, found.serves);
  const { cache } = await resolveTarget(run.path, options);
  await writeTunedFusion(cache, {
    version: found.version,
    ...FUSION,
    weights: tuned.weights,
    depth: DEPTH,
    split,
    measure: decides,
    value: rows.find(({ system }) => system === 'hybrid')!.measures[decides],
    recommended,
  });
  return {
    split,
    queries: asked.queries.length,
    measure: decides,
    rows,
    ...(parts && { parts }),
    best: recommend(values, found.serves, { beganWithPart: description.published !== undefined }),
    serves: found.serves,
    verdict: verdictOf(values, withoutLabels),
    labels: training.size,
    ...wholeModel(description),
    hybrid: { weights: tuned.weights, recommended },
  };
}

/** Of queries that were made of the documents: whether training helped is asked of them, what to search with is not. */
async function measureMade(
  { description, training }: Awaited<ReturnType<typeof openForMeasuring>>,
  asked: SplitQueries,
  found: RunSearches,
): Promise<DevOutcome> {
  const hybrid = fuseRuns([found.served, found.bm25], { method: 'rrf', depth: DEPTH, tag: 'hybrid' });
  const { rows, parts, values, withoutLabels } = measureFound(found, hybrid, asked, {
    description,
    training,
  });
  return {
    split: asked.split,
    queries: asked.queries.length,
    measure: description.recipe.evaluation.best,
    rows,
    ...(parts && { parts }),
    best: recommend({ start: values.start, trained: values.trained }, found.serves, {
      beganWithPart: description.published !== undefined,
    }),
    serves: found.serves,
    verdict: verdictOf(values, withoutLabels),
    labels: training.size,
    ...wholeModel(description),
  };
}

function wholeModel({ published, data }: RunDescription): Pick<DevOutcome, 'published'> {
  return published === undefined ? {} : { published: { model: published, data } };
}

/**
 * Measures the same systems on another split, as the dev queries have decided.
 *
 * @param decided what dev queries said: the hybrid's weights and what to search with
 */
export async function measureOnSplit(
  path: string,
  split: string,
  decided: { hybrid?: { weights: number[] }; best: SystemName },
  options: MeasureRunOptions = {},
): Promise<SystemsTable> {
  const { run, description, dataset, training } = await openForMeasuring(path, options, split);
  const asked = await splitQueries(dataset, { split });
  const found = await searchRun(run, description, asked, options);
  const fusion = decided.hybrid ? { ...FUSION, ...decided.hybrid } : { method: 'rrf' as const };
  const hybrid = fuseRuns([found.served, found.bm25], { ...fusion, depth: DEPTH, tag: 'hybrid' });
  const { rows, parts } = measureFound(found, hybrid, asked, { description, training });
  return {
    split,
    queries: asked.queries.length,
    measure: description.recipe.evaluation.best,
    rows,
    ...(parts && { parts }),
    best: decided.best,
  };
}

async function openForMeasuring(path: string, options: MeasureRunOptions, split?: string) {
  const run = new RunDirectory(path, options);
  const description = await readRunDescription(run);
  const wanted = split ?? description.recipe.evaluation.split;
  const dataset = await openRunSplit(run, description, wanted);
  const { examples } = description.recipe;
  const own =
    wanted === GENERATED_SPLIT ? undefined : await ownQueries({ run, description, dataset }, examples);
  return { run, description, dataset, training: await (own?.dataset ?? dataset).qrels(description.split) };
}

function measureFound(
  { start, bm25, trained }: RunSearches,
  hybrid: Run,
  { qrels }: SplitQueries,
  { description, training }: { description: RunDescription; training: Qrels },
): MeasuredSystems & Pick<SystemsTable, 'parts'> & { withoutLabels: number[] } {
  const { evaluation } = description.recipe;
  const measures = [evaluation.best, ...evaluation.measures].filter(
    // Answers are looked for in the texts of all hits: the run's own curves have them.
    (name, i, all) => !name.startsWith('Coverage') && all.indexOf(name) === i,
  );
  const runs = { start, bm25, hybrid, ...(trained && { trained }) };
  const measuring = { measures, decides: evaluation.best };
  const measured = measureSystems(runs, qrels, measuring);
  const labelled = labelledDocuments(training);
  const isLabelled = (document: string): boolean => labelled.has(document);
  return {
    ...measured,
    ...measureParts(runs, qrels, { isLabelled, ...measuring }),
    withoutLabels: queriesWithoutLabels(measured.queries, qrels, isLabelled),
  };
}
