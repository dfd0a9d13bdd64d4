import type { Recipe } from '../../recipe/recipe.js';
import { textLengths } from '../../recipe/text-lengths.js';
import { isCheckpointStep, type PlannedStage, planRun } from '../plan.js';
import { type CollectionSize, collectionSize } from './collection-size.js';
import { coreSpeed } from './core-speed.js';
import { type ModelSize, modelSize } from './model-size.js';

/** Parts of a core's speed at plain products that training and encoding come to (docs/engine.md). */
const TRAINING_SHARE = 0.75;
const ENCODING_SHARE = 0.9;
/** Two processes start, load and compile, and write models. */
const SECONDS_PER_TRAINING = 3;
/** Queries are shorter than most models would read. */
const QUERY_TOKENS = 16;
const BYTES = 4;
/** Weights and two moments. */
const CHECKPOINT_COPIES = 3;
/** Weights, two moments, and a gradient. */
const LEARNING_COPIES = 4;
/**
 * What a step keeps for a number of a token's states in a layer: inputs and results of all products, and their gradients. Measured
 * with all of MiniLM and 6,700 tokens a step: a Trainer of 4.7 GB.
 */
const KEPT_PER_STATE = 60;
/** Node.js and ONNX Runtime themselves. */
const PROCESS_BYTES = 200e6;
/** The start, and `best/` with its export. */
const OTHER_COPIES = 3;
/** `best/` with its export, and the newest checkpoint without moments. */
const COPIES_OF_RESULT = 3;

/** What a part of a training takes. */
export interface TrainingCost {
  steps: number;
  /** Checkpoints with which the collection is encoded, to mine or to measure. */
  encodings: number;
  /** A guess from the model's size, the texts' lengths and this machine's speed; the pace of the training itself is better. */
  seconds: number;
}

/** Foretells what trainings of one kind of model on one collection take. */
export class CostModel {
  readonly #collection: CollectionSize;
  readonly #model: ModelSize;
  readonly #speed: number;

  private constructor(collection: CollectionSize, model: ModelSize, speed: number) {
    this.#collection = collection;
    this.#model = model;
    this.#speed = speed;
  }

  static async open(recipe: Recipe, data: string): Promise<CostModel> {
    return new CostModel(await collectionSize(data), await modelSize(recipe), await coreSpeed());
  }

  /** What the steps after `from` up to `to` of a settled recipe take on so many threads. */
  training(
    recipe: Recipe,
    { from = 0, to = Number.POSITIVE_INFINITY, threads }: { from?: number; to?: number; threads: number },
  ): TrainingCost {
    const plan = planRun(recipe);
    const { document } = textLengths(recipe.model);
    const end = Math.min(to, plan.totalSteps);
    let training = 0;
    // What the run starts from is measured, too.
    let encodings = from === 0 ? 1 : 0;
    for (const stage of plan.stages) {
      const [first, last] = [Math.max(stage.start, from), Math.min(stage.end, end)];
      if (stage.make || last <= first) continue;
      training += 6 * this.#model.layers * this.#tokensOfStep(recipe, stage) * (last - first);
      // Documents that do not learn keep their vectors.
      if (stage.freeze.includes('documents')) continue;
      for (let step = first + 1; step <= last; step++) {
        if (isCheckpointStep(plan, step, recipe.checkpoint.every)) encodings++;
      }
    }
    const { documents, meanTokens } = this.#collection;
    const encoding = 2 * this.#model.layers * documents * meanTokens(document) * encodings;
    const work = training / TRAINING_SHARE + encoding / ENCODING_SHARE;
    return {
      steps: end - from,
      encodings,
      seconds: SECONDS_PER_TRAINING + work / (this.#speed * threads),
    };
  }

  /** Bytes of a run while it goes on. */
  diskBytes({ checkpoint }: Recipe): number {
    const { all, dimension } = this.#model;
    const models = (Math.max(2, checkpoint.keep) * CHECKPOINT_COPIES + OTHER_COPIES) * all * BYTES;
    return models + 2 * this.#collection.documents * dimension * BYTES;
  }

  /** Bytes that the Trainer takes at most, by the stage whose steps are the largest. */
  memoryBytes(recipe: Recipe): number {
    const { all, states } = this.#model;
    let tokens = 0;
    for (const stage of planRun(recipe).stages) {
      if (stage.make) continue;
      const { accumulate, cacheTokens } = stage.batch;
      const together = this.#tokensOfStep(recipe, stage) / accumulate;
      tokens = Math.max(tokens, cacheTokens > 0 ? Math.min(cacheTokens, together) : together);
    }
    return PROCESS_BYTES + (LEARNING_COPIES * all + KEPT_PER_STATE * states * tokens) * BYTES;
  }

  /** Bytes of a run that is done and keeps what came of it, beside others that share its start. */
  resultBytes(): number {
    const { all, dimension } = this.#model;
    return COPIES_OF_RESULT * all * BYTES + this.#collection.documents * dimension * BYTES;
  }

  /** Queries, their positives and the negatives of their own; documents that are frozen are not read. */
  #tokensOfStep({ model }: Recipe, { batch, negatives, freeze }: PlannedStage): number {
    const lengths = textLengths(model);
    const own = negatives.reduce((sum, { count }) => sum + (typeof count === 'number' ? count : 0), 0);
    const read = Math.min(lengths.document, batch.documentTokens ?? lengths.document);
    const ofDocuments = freeze.includes('documents') ? 0 : (1 + own) * this.#collection.meanTokens(read);
    return batch.queries * batch.accumulate * (Math.min(lengths.query, QUERY_TOKENS) + ofDocuments);
  }
}
