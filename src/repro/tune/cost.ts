import { documentTexts, openDataset } from '../../data/index.js';
import { openModel } from '../../model/index.js';
import type { Recipe } from '../../recipe/recipe.js';
import { textLengths } from '../../recipe/text-lengths.js';
import { isCheckpointStep, planRun } from '../../run/plan.js';
import type { TunePlan } from './tune.js';

/** What a search will take, before it begins. */
export interface TuneCost {
  trainings: number;
  /** Of all candidates together. */
  steps: number;
  /** Checkpoints that are measured, each of which encodes the collection. */
  measurements: number;
  /** A guess from the model's size and the texts' lengths; the pace of the first training is better. */
  seconds: number;
  /** While all candidates are alive; the losers' models are removed. */
  diskBytes: number;
}

/** What a core multiplies and adds in a second while it trains (docs/engine.md: 130 GFLOPS on two). */
const CORE_FLOPS = 60e9;
/** Two processes start, load and compile, and write models. */
const SECONDS_PER_TRAINING = 3;
const CHARACTERS_PER_TOKEN = 4.5;
const BYTES = 4;
/** Weights and two moments. */
const CHECKPOINT_COPIES = 3;
/** The start, and `best/` with its export. */
const OTHER_COPIES = 3;

interface ModelSize {
  /** Of the layers, which every token passes. */
  layers: number;
  all: number;
  dimension: number;
}

/** Adds up what a plan will take on `threads` threads. */
export async function costOf(plan: TunePlan, data: string, threads: number): Promise<TuneCost> {
  const { documents, characters } = await collectionSize(data);
  const size = await modelSize(plan.base);
  const cost: TuneCost = { trainings: 0, steps: 0, measurements: 0, seconds: 0, diskBytes: 0 };
  const { candidates, sizes } = plan.state;
  for (const [rung, count] of sizes.entries()) {
    // Which of them go on is not known yet: the first are as good as any.
    for (const candidate of candidates.slice(0, count)) {
      const recipe = plan.recipes.get(candidate.name)!;
      const [from, to] = [rung === 0 ? 0 : candidate.steps[rung - 1], candidate.steps[rung]];
      const measured = checkpointsBetween(recipe, from, to) + (rung === 0 ? 1 : 0);
      const { document } = textLengths(recipe.model);
      const length = Math.min(document, characters / CHARACTERS_PER_TOKEN);
      const flops = 6 * size.layers * tokensOfStep(recipe, length) * (to - from);
      const encoding = 2 * size.layers * documents * length * measured;
      cost.trainings++;
      cost.steps += to - from;
      cost.measurements += measured;
      cost.seconds += SECONDS_PER_TRAINING + (flops + encoding) / (CORE_FLOPS * threads);
    }
  }
  const kept = Math.max(2, plan.base.checkpoint.keep);
  const models = (kept * CHECKPOINT_COPIES + OTHER_COPIES) * size.all * BYTES;
  cost.diskBytes = candidates.length * (models + 2 * documents * size.dimension * BYTES);
  return cost;
}

function checkpointsBetween(recipe: Recipe, from: number, to: number): number {
  const plan = planRun(recipe);
  let count = 0;
  for (let step = from + 1; step <= to; step++)
    if (isCheckpointStep(plan, step, recipe.checkpoint.every)) count++;
  return count;
}

/** Of the recipe's longest stage: queries, their positives and the negatives of their own. */
function tokensOfStep(recipe: Recipe, documentLength: number): number {
  const stage = recipe.stages.reduce((longest, one) => (one.steps > longest.steps ? one : longest));
  const own = stage.negatives.reduce((sum, { count }) => sum + (typeof count === 'number' ? count : 0), 0);
  const { queries, accumulate } = { ...recipe.batch, ...stage.batch };
  const query = Math.min(textLengths(recipe.model).query, 16);
  return queries * accumulate * (query + (1 + own) * documentLength);
}

async function collectionSize(data: string): Promise<{ documents: number; characters: number }> {
  let documents = 0;
  let characters = 0;
  for await (const { text } of documentTexts(await openDataset(data)).records()) {
    documents++;
    characters += text.length;
  }
  return { documents, characters: characters / Math.max(1, documents) };
}

async function modelSize({ model }: Recipe): Promise<ModelSize> {
  const { init, layers = 0, hiddenSize = 0, vocabularySize = 0 } = model;
  const scratch = { layers, hiddenSize, vocabularySize, intermediateSize: 4 * hiddenSize };
  const config = init === 'scratch' ? scratch : await configOf(init, layers);
  const width = config.hiddenSize;
  const inLayers = config.layers * (4 * width * width + 2 * width * config.intermediateSize);
  const towers = model.towers === 'two' ? 2 : 1;
  const all = towers * (inLayers + (config.vocabularySize + 512) * width);
  return { layers: inLayers, all, dimension: width };
}

async function configOf(init: string, layers: number) {
  const { config, weights } = await openModel(init, { quiet: true });
  await weights.close();
  return layers > 0 ? { ...config, layers } : config;
}
