import { NearmissError } from '../base/errors.js';
import { Progress } from '../base/progress.js';
import { CREATED_BY } from '../base/version.js';
import { makesRows } from '../model/kinds.js';
import { representations } from '../model/representation/kinds.js';
import type { Recipe } from '../recipe/recipe.js';
import { planRun } from '../run/plan.js';
import { readRunDescription } from '../run/run-description.js';
import { RunDirectory } from '../run/run-directory.js';
import { type ComparedRun, compareRuns } from './compare-runs.js';
import { bestRows } from './corpus/best-rows.js';
import { type Bm25Overlap, bm25Overlap } from './corpus/bm25-overlap.js';
import { annDepth, drawNegatives, TOP } from './corpus/draw-negatives.js';
import { type GradientBound, gradientBound } from './corpus/gradient-bound.js';
import { type LongTail, longTail } from './corpus/long-tail.js';
import { type OpenCheckpoint, openCheckpoint } from './corpus/open-checkpoint.js';
import { type NegativesOverlap, negativesOverlap } from './corpus/overlap.js';
import { rankSample } from './corpus/rank-sample.js';
import { sampleQueries } from './corpus/sample.js';
import { type Costs, costsOf } from './costs.js';
import { type Curves, curvesOf } from './curves.js';
import { type RunHistory, readHistory } from './history.js';
import { noIndex } from './shown-step.js';

/** Parts of an analysis; all but `curves` and `compare` look at the model and the collection. */
export const SECTIONS = ['curves', 'gradients', 'long-tail', 'overlap', 'bm25', 'costs', 'compare'] as const;

export type Section = (typeof SECTIONS)[number];

export interface AnalyzeOptions {
  /** Folders of runs: the first is analysed, and compared with the others. */
  runs: readonly string[];
  /** The collection of the first, where that is not where the run says. */
  data?: string;
  /** Default: all. */
  sections?: readonly Section[];
  /** Training queries to sample. Default 200. */
  queries?: number;
  /** The checkpoint whose model is looked at. Default: the newest that has an index. */
  step?: number;
  /** Default: all cores. */
  threads?: number;
  quiet?: boolean;
}

/** What `report/analysis.json` holds. Parts that were not asked for are absent. */
export interface Analysis {
  format: 1;
  run: string;
  recipe: string;
  data: string;
  /** Whether the run had ended. */
  finished: boolean;
  /** The checkpoint whose model was looked at. */
  step?: number;
  curves?: Curves;
  gradients?: GradientBound;
  longTail?: LongTail;
  overlap?: NegativesOverlap;
  bm25?: Bm25Overlap;
  costs?: Costs;
  runs?: ComparedRun[];
  createdBy: string;
}

const DEFAULT_QUERIES = 200;
const OF_MODEL: readonly Section[] = ['gradients', 'long-tail', 'overlap', 'bm25', 'costs'];

/**
 * What there is to see in a run of this recipe: a reranker has no index, and so nothing that needs one; how much a negative would
 * teach is known of a query's single vector.
 */
export function sectionsOf({ model }: Recipe): readonly Section[] {
  if (!makesRows(model.kind)) return SECTIONS.filter((section) => !OF_MODEL.includes(section));
  return asksWithSeveralRows(model) ? SECTIONS.filter((section) => section !== 'gradients') : SECTIONS;
}

/** Whether queries have several rows, by what the recipe says of the head. */
export function asksWithSeveralRows({ head }: Recipe['model']): boolean {
  if (!head?.pooling) return false;
  const { scorer = 'max' } = representations.get(head.pooling);
  return scorer === 'max-sim' || scorer === 'poly';
}

/**
 * Looks into a run, finished or going on.
 *
 * @example
 * const analysis = await analyzeRuns({ runs: ['runs/medquad'], sections: ['curves', 'overlap'] });
 * await writeReport('runs/medquad/report', analysis);
 */
export async function analyzeRuns(options: AnalyzeOptions): Promise<Analysis> {
  const runs = options.runs.map((path, nth) => new RunDirectory(path, nth === 0 ? options : {}));
  const [run] = runs;
  const { recipe, data } = await readRunDescription(run);
  const sections = options.sections ?? sectionsOf(recipe);
  const history = await readHistory(run);
  const analysis: Analysis = {
    format: 1,
    run: run.path,
    recipe: recipe.name,
    data,
    finished: await run.isFinished(),
    ...(sections.includes('curves') && { curves: curvesOf(history, planRun(recipe)) }),
    ...(sections.includes('compare') && runs.length > 1 && { runs: await compareRuns(runs) }),
    createdBy: CREATED_BY,
  };
  if (!sections.some((section) => OF_MODEL.includes(section))) return analysis;
  if (!makesRows(recipe.model.kind)) throw noIndex(run);
  const { threads, step, quiet } = options;
  const checkpoint = await openCheckpoint({ run, step, session: { threads }, quiet });
  try {
    return {
      ...analysis,
      step: checkpoint.step,
      ...(await analyzeModel(checkpoint, history, { ...options, sections })),
    };
  } finally {
    await checkpoint.close();
  }
}

async function analyzeModel(
  checkpoint: OpenCheckpoint,
  history: RunHistory,
  options: AnalyzeOptions & { sections: readonly Section[] },
): Promise<Partial<Analysis>> {
  const { sections } = options;
  const sampled = sections.some((section) => ['gradients', 'long-tail', 'overlap'].includes(section));
  return {
    ...(sampled && (await analyzeSample(checkpoint, options))),
    ...(sections.includes('bm25') && { bm25: await bm25Overlap(checkpoint) }),
    ...(sections.includes('costs') && { costs: await costsOf(checkpoint, history) }),
  };
}

/** The parts that look at a sample of the training queries, each of which ranks the whole collection once. */
async function analyzeSample(
  checkpoint: OpenCheckpoint,
  options: AnalyzeOptions & { sections: readonly Section[] },
): Promise<Partial<Analysis>> {
  const { sections, quiet } = options;
  const { data, stage, corpus } = checkpoint;
  const queries = await sampleQueries(checkpoint, options.queries ?? DEFAULT_QUERIES);
  const depth = annDepth(checkpoint);
  const progress = new Progress({ label: 'rank', total: queries.length, unit: 'queries', quiet });
  const ranked = await rankSample(corpus, queries, {
    depth: Math.max(TOP, depth),
    onQuery: () => progress.advance(),
  });
  progress.finish();
  const documents = data.documents.count;
  const result: Partial<Analysis> = {
    ...(sections.includes('long-tail') && { longTail: longTail(ranked, documents) }),
  };
  if (!sections.includes('gradients') && !sections.includes('overlap')) return result;
  const drawn = await drawNegatives(checkpoint, queries, ranked);
  if (sections.includes('overlap')) result.overlap = negativesOverlap({ drawn, ranked, depth, documents });
  if (sections.includes('gradients')) {
    if (queries.some(({ vector }) => vector.length !== corpus.dimension)) {
      throw new NearmissError('gradients: what a negative would teach is known of queries with one vector', {
        hint: `leave it out: --only ${sections.filter((section) => section !== 'gradients').join(',') || 'curves'}`,
      });
    }
    const vectorFor = await bestRows(corpus, queries, drawn);
    result.gradients = gradientBound({ queries, drawn, temperature: stage.losses[0].temperature, vectorFor });
  }
  return result;
}
