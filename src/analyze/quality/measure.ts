import { makesRows } from '../../model/kinds.js';
import type { Recipe } from '../../recipe/recipe.js';
import { openRun } from '../../run/open-run.js';
import { RunDirectory } from '../../run/run-directory.js';
import type { StepEvaluation } from '../../run/step-evaluation.js';
import { evaluationSet, type TrainingData } from '../../run/training-data.js';
import { NotThereError } from '../not-there.js';
import type { WantedStep } from '../shown-step.js';
import type { StudyProgress } from '../study-progress.js';
import { readExcerpts } from '../texts.js';
import { documentsOfCases, qualityCases } from './cases.js';
import { QUALITY_SYSTEMS, type Quality, type QualitySystem } from './quality.js';
import { hasStart, keepQuality, qualityKey, readQuality } from './quality-files.js';
import { searchSystems } from './search-systems.js';
import { summarizeQuality, systemLabel } from './summarize.js';

export interface QualityOptions {
  /** The run's folder. */
  run: string;
  /** Its collection, where that is not where the run says. */
  data?: string;
  /** Default: the one that the recipe measures on. */
  split?: string;
  /** Default `best`. */
  step?: WantedStep;
  /** Measures the base model and the start, too, even where the whole collection has to be encoded for them. */
  start?: boolean;
  /** Default: all cores. */
  threads?: number;
  onProgress?: (progress: StudyProgress) => void;
}

/** In every table, beside the recipe's. */
const USUAL_MEASURES = ['R@100'];

/**
 * Measures BM25, a run's model before and after training, and their hybrid on the same queries, and keeps the result in
 * the run's cache.
 *
 * @example
 * const { systems } = await measureQuality({ run: 'runs/medquad', split: 'test' });
 */
export async function measureQuality(options: QualityOptions): Promise<Quality> {
  const run = new RunDirectory(options.run, options);
  const { split, step } = await qualityKey(run, options);
  const kept = await readQuality(run, { split, step });
  if (kept && (!options.start || hasStart(kept))) return kept;
  const { data, description } = await openRun(run.path, { data: run.data, quiet: true });
  try {
    const { recipe, data: collection } = description;
    const base = description.published ?? wholeModel(recipe);
    return await measure({ ...options, run, split, step, data, collection, recipe, base });
  } finally {
    await data.close();
  }
}

interface MeasureOptions extends Omit<QualityOptions, 'run' | 'data' | 'split' | 'step'> {
  run: RunDirectory;
  split: string;
  step: number;
  data: TrainingData;
  /** Where the data are. */
  collection: string;
  recipe: Recipe;
  /** The model as published, where the run began with a part of it. */
  base: string | undefined;
}

async function measure(options: MeasureOptions): Promise<Quality> {
  const { run, split, step, data, recipe, threads } = options;
  const splits = await data.dataset.splits();
  if (!splits.includes(split)) {
    throw new NotThereError(`${data.dataset.name}: no split "${split}"`, {
      hint: `there are ${splits.join(', ')}`,
    });
  }
  // A dev split is measured on the queries that the run's own curves are of; any other as a whole.
  const limit = split === recipe.evaluation.split ? recipe.evaluation.queries : 0;
  const { queries, qrels } = await evaluationSet(data, { split, limit, seed: recipe.seed });
  const texts = await textsOf(data, qrels);
  const runs = await searchSystems({ ...options, queries, texts, session: { threads } });
  const measures = [...recipe.evaluation.measures, ...USUAL_MEASURES].filter(
    // Answers are looked for in the texts of all hits, which a page does not wait for.
    (name) => !name.startsWith('Coverage'),
  );
  const summary = summarizeQuality({ runs, qrels, measures, step, texts });
  const start = runs.start ? [] : await startMeans(run, split);
  const quality: Quality = {
    format: 2,
    split,
    step,
    documents: data.documents.count,
    ...summary,
    systems: inOrder([...summary.systems, ...start]),
  };
  const cases = { queries: quality.queries, qrels, bm25: runs.bm25, model: runs.model };
  const excerpts = await readExcerpts(data.dataset, documentsOfCases(cases));
  await keepQuality(run, quality, qualityCases(cases, excerpts));
  return quality;
}

/** Of a run from before it was recorded what it was cut from. */
function wholeModel({ model: { init, kind, layers } }: Recipe): string | undefined {
  return layers === undefined || init === 'scratch' || !makesRows(kind) ? undefined : init;
}

function inOrder(systems: readonly QualitySystem[]): QualitySystem[] {
  return QUALITY_SYSTEMS.flatMap((name) => systems.filter((system) => system.name === name));
}

/** What the run itself measured before its first step. */
async function startMeans(run: RunDirectory, split: string): Promise<QualitySystem[]> {
  const evaluation = await run.readJson<StepEvaluation>('evaluations', 'step-000000.json');
  if (evaluation?.split !== split) return [];
  return [{ name: 'start', label: systemLabel('start', 0), means: evaluation.measures }];
}

async function textsOf(
  data: TrainingData,
  wanted: ReadonlyMap<string, unknown>,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const { id, text } of data.dataset.queries()) if (wanted.has(id)) texts.set(id, text);
  return texts;
}
