import { GENERATED_SPLIT, isMadeSplit, type Qrels } from '../data/index.js';
import { openRunSplit } from '../run/collection/open-run-data.js';
import { ownQueries } from '../run/collection/own-queries.js';
import { labelledDocuments, queriesWithoutLabels } from '../run/collection/queries-without-labels.js';
import { type RunDescription, readRunDescription } from '../run/run-description.js';
import { RunDirectory } from '../run/run-directory.js';
import { fuseRuns } from '../search/fusion/index.js';
import { resolveTarget } from '../search/open/target.js';
import { writeTunedFusion } from '../search/open/tuned-fusion.js';
import { measureParts } from './measure-parts.js';
import { type MeasuredSystems, measureSystems, type SystemRuns } from './measure-systems.js';
import { isRecommendedHybrid, recommend, type Verdict, verdictOf } from './recommend.js';
import { DEPTH, type SearchSystemsOptions, searchRun } from './search-run.js';
import { type SplitQueries, splitQueries } from './split-queries.js';
import type { SystemName, SystemsTable } from './system.js';
import { FUSION, tuneOnHalves } from './tune-on-halves.js';

/** What a run's systems measure on its dev queries, and what follows from it. */
export interface DevOutcome extends SystemsTable {
  /** Which model is in `best/`. */
  serves: 'start' | 'trained';
  /** How the trained model compares with what it started from. */
  verdict: Verdict;
  /** How likely a lead may be chance that counts as one, where the recipe says so. */
  chance?: number;
  /** Queries that were learned from. */
  labels: number;
  /**
   * Where the run began with a part of a model (fewer layers, shorter texts, another head): the whole one, which `start`
   * is then, and the collection to search with it. `best/` holds the part, trained or not.
   */
  published?: { model: string; data: string };
  /** Absent where the dev queries were made of the documents, which no weights are tuned on: the hybrid goes untuned. */
  hybrid?: { weights: number[]; recommended: boolean };
}

export interface MeasureRunOptions extends SearchSystemsOptions {
  /** The run's collection, where that is not where the run says. */
  data?: string;
}

/**
 * Measures start, BM25, hybrid and trained model on a run's dev queries, tunes the hybrid's weights there and keeps them
 * with the run; where the queries were made of the documents, start and trained model alone.
 */
export async function measureOnDev(path: string, options: MeasureRunOptions = {}): Promise<DevOutcome> {
  const opened = await openForMeasuring(path, options);
  const { run, description, dataset, training } = opened;
  const { evaluation, seed } = description.recipe;
  const { split, queries: limit, best: decides } = evaluation;
  const asked = await splitQueries(dataset, { split, limit, seed });
  if (isMadeSplit(split)) return measureMade(opened, asked, options);
  const found = await searchRun(run, description, asked, { ...options, words: ['bm25'] });
  const { start, trained } = found;
  const { dense, bm25 } = found.served;
  const tuned = tuneOnHalves([dense, bm25], asked.qrels, { measure: decides, depth: DEPTH });
  const runs = { start, bm25, hybrid: tuned.run, trained };
  const { rows, parts, values, withoutLabels } = measureFound(runs, asked, opened);
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
    verdict: verdictOf(values, withoutLabels, evaluation.chance),
    ...askedChance(description),
    labels: training.size,
    ...wholeModel(description),
    hybrid: { weights: tuned.weights, recommended },
  };
}

/**
 * Of queries that were made of the documents: whether training helped is asked of them, whether to search by words is not.
 * So the run is searched as a collection is that nobody has judged either: by both (`search/retrievers/hybrid.ts`).
 */
async function measureMade(
  opened: OpenedRun,
  asked: SplitQueries,
  options: MeasureRunOptions,
): Promise<DevOutcome> {
  const { description, training } = opened;
  const { serves, ...runs } = await searchModels(opened, asked, options);
  const { rows, parts, values, withoutLabels } = measureFound(runs, asked, opened);
  const beganWithPart = description.published !== undefined;
  const prefersWhole = beganWithPart && recommend(values, serves, { beganWithPart }) === 'start';
  return {
    split: asked.split,
    queries: asked.queries.length,
    measure: description.recipe.evaluation.best,
    rows,
    ...(parts && { parts }),
    best: prefersWhole ? 'start' : 'hybrid',
    serves,
    verdict: verdictOf(values, withoutLabels, description.recipe.evaluation.chance),
    ...askedChance(description),
    labels: training.size,
    ...wholeModel(description),
  };
}

function askedChance({ recipe }: RunDescription): Pick<DevOutcome, 'chance'> {
  const { chance } = recipe.evaluation;
  return chance === undefined ? {} : { chance };
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
  const opened = await openForMeasuring(path, options, split);
  const asked = await splitQueries(opened.dataset, { split });
  const runs = isMadeSplit(split)
    ? await searchModels(opened, asked, options)
    : await searchSystems(opened, asked, { ...options, weights: decided.hybrid?.weights });
  const { rows, parts } = measureFound(runs, asked, opened);
  return {
    split,
    queries: asked.queries.length,
    measure: opened.description.recipe.evaluation.best,
    rows,
    ...(parts && { parts }),
    best: decided.best,
  };
}

/** Start and trained model, without words: where queries were made of the documents, these would be overrated. */
async function searchModels(
  { run, description }: OpenedRun,
  asked: SplitQueries,
  options: MeasureRunOptions,
): Promise<SystemRuns & { serves: 'start' | 'trained' }> {
  const { start, trained, serves } = await searchRun(run, description, asked, { ...options, words: [] });
  return { start, trained, serves };
}

/** All systems. The hybrid has the weights of the dev queries; where these tuned none, it is that of a search. */
async function searchSystems(
  { run, description }: OpenedRun,
  asked: SplitQueries,
  { weights, ...options }: MeasureRunOptions & { weights?: number[] | undefined },
): Promise<SystemRuns> {
  if (weights === undefined) {
    const words = ['bm25', 'hybrid'] as const;
    const { start, trained, served } = await searchRun(run, description, asked, { ...options, words });
    return { start, trained, bm25: served.bm25, hybrid: served.hybrid };
  }
  const found = await searchRun(run, description, asked, { ...options, words: ['bm25'] });
  const { dense, bm25 } = found.served;
  const hybrid = fuseRuns([dense, bm25], { ...FUSION, weights, depth: DEPTH, tag: 'hybrid' });
  return { start: found.start, trained: found.trained, bm25, hybrid };
}

type OpenedRun = Awaited<ReturnType<typeof openForMeasuring>>;

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
  { start, bm25, hybrid, trained }: SystemRuns,
  { qrels }: SplitQueries,
  { description, training }: { description: RunDescription; training: Qrels },
): MeasuredSystems & Pick<SystemsTable, 'parts'> & { withoutLabels: number[] } {
  const { evaluation } = description.recipe;
  const measures = [evaluation.best, ...evaluation.measures].filter(
    // Answers are looked for in the texts of all hits: the run's own curves have them.
    (name, i, all) => !name.startsWith('Coverage') && all.indexOf(name) === i,
  );
  const runs = { start, bm25, hybrid, trained };
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
