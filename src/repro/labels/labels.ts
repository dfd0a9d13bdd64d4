import { join } from 'node:path';
import { type AdaptOutcome, adaptToEnd, beginAdaptation } from '../../adapt/adapt.js';
import { judgeAdaptation } from '../../adapt/verdict.js';
import { openDataset } from '../../data/index.js';
import { evaluate, pairedTTest } from '../../evaluate/index.js';
import type { Recipe } from '../../recipe/recipe.js';
import { leadingCheckpoint } from '../../run/choose-best.js';
import { readRunDescription } from '../../run/run-description.js';
import { RunDirectory } from '../../run/run-directory.js';
import { measureBm25, measureRun } from '../table/measure-row.js';
import { UNTRAINED } from '../table/row.js';
import { rowRecipe, startingFrom } from '../table/row-recipe.js';
import { keepResults } from '../table/row-room.js';
import { costOfRows, type RowsCost } from '../table/rows-cost.js';
import { type PlannedRun, type TrainRowOptions, trainRow, unfinishedRuns } from '../table/train-row.js';
import { labelSplit, writeLabelSplits } from './label-splits.js';

export interface LabelsOptions extends TrainRowOptions {
  testSplit: string;
  /** How many labels to learn from. Default {@link COUNTS}. */
  counts?: readonly number[];
  /** Default `default`. */
  recipe?: string;
  /** What is adapted and trained. Default: what the recipes start from. */
  model?: string;
  /** Changes to the recipe of the trainings, and to that of the adaptation. */
  set: readonly string[];
  adaptSet: readonly string[];
  stepFactor: number;
  threads?: number;
  /** Told what learning from labels will take, before it begins; the adaptation is done by then. */
  onPlan?: (cost: RowsCost) => void | Promise<void>;
  onRow?: (row: LabelsRow) => void;
}

const COUNTS: readonly number[] = [30, 100, 300, 1000];
const LABELS_MEASURES = ['nDCG@10', 'RR@10', 'R@100'] as const;
const [DECIDES] = LABELS_MEASURES;

/** What training began from. */
export type LabelsStart = 'start' | 'adapted';

export interface LabelsRow {
  from: LabelsStart;
  /** Queries that were learned from; 0: the model as it is. */
  labels: number;
  measures: Record<string, number>;
  /** Two-sided, by the first measure, against the start without labels. */
  pAgainstStart?: number;
  /** Against what as many labels made of the start, for what was adapted. */
  pAgainstSame?: number;
}

export interface LabelCurve {
  dataset: string;
  queries: number;
  measure: string;
  bm25: Record<string, number>;
  /** What `nearmiss adapt` said; the adapted model is what it has learned, whatever it said. */
  verdict: AdaptOutcome['adaptation']['verdict'];
  rows: LabelsRow[];
}

/** Adapts a model to a collection, trains start and adapted model with more and more labels, and measures all. */
export async function reproduceLabels(options: LabelsOptions): Promise<LabelCurve> {
  const { testSplit, counts: asked = COUNTS, out } = options;
  const base = await openDataset(options.data);
  const qrels = await base.qrels(testSplit);
  const seed = (await rowRecipe(rowOf('start', asked[0], options), recipeOptions(options))).seed;
  const { data, counts } = await writeLabelSplits(options.data, {
    out,
    split: options.split,
    counts: asked,
    seed,
  });
  const { verdict, adapted } = await adaptedModel(options);
  const curve: LabelCurve = {
    dataset: base.name,
    queries: qrels.size,
    measure: DECIDES,
    bm25: {},
    verdict,
    rows: [],
  };
  const values = new Map<string, Float64Array>();
  const starts: LabelsStart[] = adapted === undefined ? ['start'] : ['start', 'adapted'];
  const recipeOf = async (from: LabelsStart, count: number): Promise<Recipe> => {
    const asPublished = await rowRecipe(rowOf(from, count, options), recipeOptions(options));
    return from === 'adapted' ? startingFrom(adapted!, asPublished) : asPublished;
  };
  const trainingOf = (count: number) => ({ ...options, data, split: labelSplit(count) });
  const planned: PlannedRun[] = [];
  for (const from of starts) {
    for (const count of counts) {
      planned.push(...(await unfinishedRuns(await recipeOf(from, count), trainingOf(count))));
    }
  }
  await options.onPlan?.(await costOfRows(planned, trainingOf(Math.max(...counts))));
  let first: RunDirectory | undefined;
  for (const from of starts) {
    for (const count of counts) {
      const runs = await trainRow(await recipeOf(from, count), trainingOf(count));
      first ??= runs[0];
      const run = runs.at(-1)!;
      const bm25 = await measureBm25(run, { system: UNTRAINED.bm25, split: testSplit });
      curve.bm25 = { ...evaluate(bm25, qrels, LABELS_MEASURES, { complete: true }).mean };
      const last = (await run.steps('evaluations')).at(-1)!;
      const session = { threads: options.threads };
      for (const [labels, step] of count === counts[0]
        ? [[0, 0] as const, [count, last] as const]
        : [[count, last] as const]) {
        const { retrieval } = await measureRun(run, {
          system: `${from}-${labels}`,
          step,
          split: testSplit,
          bm25,
          session,
        });
        const row = rowFor(
          from,
          labels,
          evaluate(retrieval, qrels, LABELS_MEASURES, { complete: true }),
          values,
        );
        curve.rows.push(row);
        options.onRow?.(row);
      }
      await keepResults(runs, first);
    }
  }
  return curve;
}

function rowFor(
  from: LabelsStart,
  labels: number,
  { mean, perQuery }: ReturnType<typeof evaluate>,
  values: Map<string, Float64Array>,
): LabelsRow {
  const own = perQuery[DECIDES];
  values.set(`${from} ${labels}`, own);
  const against = (key: string): number | undefined => {
    const other = values.get(key);
    return other && other !== own ? pairedTTest(own, other).p : undefined;
  };
  const [start, same] = [against('start 0'), from === 'adapted' ? against(`start ${labels}`) : undefined];
  return {
    from,
    labels,
    measures: { ...mean },
    ...(start !== undefined && { pAgainstStart: start }),
    ...(same !== undefined && { pAgainstSame: same }),
  };
}

function rowOf(from: LabelsStart, labels: number, { recipe = 'default' }: LabelsOptions) {
  const name = `${from}-${labels}`;
  return { name, system: name, recipe };
}

function recipeOptions({ set, stepFactor, model }: LabelsOptions) {
  const start = model === undefined ? [] : [`model.init=${JSON.stringify(model)}`];
  return { stepFactor, set: [...start, ...set] };
}

/** What an adaptation has learned; nothing where there is too little to learn from. */
async function adaptedModel(
  options: LabelsOptions,
): Promise<{ verdict: LabelCurve['verdict']; adapted?: string }> {
  const out = join(options.out, 'adapted');
  const { data, model, adaptSet: set } = options;
  const begun = await beginAdaptation({ data, out, model, set });
  if (!begun.begun) return { verdict: 'too little' };
  const run = new RunDirectory(out);
  const known = (await run.isFinished()) ? await judgeAdaptation(run) : undefined;
  const { verdict } = known ?? (await adaptToEnd(begun, options.supervise)).adaptation;
  const { recipe } = await readRunDescription(run);
  const lead = await leadingCheckpoint(run, recipe.evaluation.best);
  return { verdict, ...(lead && { adapted: run.stepPath('checkpoints', lead.step) }) };
}
