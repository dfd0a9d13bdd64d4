import { NearmissError } from '../../base/errors.js';
import type { Dataset } from '../../data/index.js';
import type { ParameterStore } from '../../engine/index.js';
import type { Ranking } from '../../evaluate/index.js';
import {
  type EncoderConfig,
  type EncoderModel,
  fillEncoderFolder,
  loadEncoderModel,
  type SaveModelOptions,
  type TextReader,
} from '../../model/index.js';
import { modelKinds } from '../../model/kinds.js';
import { WEIGHER_HEAD } from '../../model/terms/term-weigher.js';
import type { Recipe } from '../../recipe/recipe.js';
import { textLengths } from '../../recipe/text-lengths.js';
import { TermsCheckpoint } from '../refresh/terms-checkpoint.js';
import type { LiveEncoder } from '../step/live-encoder.js';
import type { Step } from '../step/step.js';
import { TermStep } from '../step/term-step.js';
import type { RetrievalBatch } from '../task/batch.js';
import { type StartOptions, startingEncoder } from './starting-encoder.js';
import { hasDropout, type TrainedModel, type TrainedModelKind, type Weigher } from './trained-model.js';

/** The model that a run trains to weigh words. */
class TrainedWeigher implements TrainedModel {
  readonly model: EncoderModel;

  private constructor(model: EncoderModel) {
    this.model = model;
  }

  static async start(recipe: Recipe, dataset: Dataset, options: StartOptions): Promise<TrainedWeigher> {
    const { query, document } = textLengths(recipe.model);
    const weighing = { ...recipe, model: { ...recipe.model, head: WEIGHER_HEAD } };
    const maxLength = Math.max(query, document);
    return new TrainedWeigher(await startingEncoder(weighing, dataset, { ...options, maxLength }));
  }

  static async load(folder: string): Promise<TrainedWeigher> {
    return new TrainedWeigher(await loadEncoderModel(folder));
  }

  get parameters(): ParameterStore {
    return this.model.parameters;
  }

  get config(): EncoderConfig {
    return this.model.spec.config;
  }

  get reader(): TextReader {
    return this.model;
  }

  async step(): Promise<Step<RetrievalBatch>> {
    throw weighsOnly('learns to weigh words, not to score');
  }

  async liveEncoder(): Promise<LiveEncoder> {
    throw weighsOnly('makes no vectors');
  }

  get weigher(): Weigher {
    const { model } = this;
    return {
      step: (options) => TermStep.create({ model, dropout: hasDropout(model.spec.config), ...options }),
    };
  }

  async rankings(): Promise<Map<string, Ranking>> {
    throw weighsOnly('is measured through its index, once for each checkpoint');
  }

  fill(folder: string, options: SaveModelOptions): Promise<void> {
    return fillEncoderFolder(folder, this.model, options);
  }
}

function weighsOnly(what: string): NearmissError {
  return new NearmissError(`a model of kind terms ${what}`, { hint: 'set task: term-weights in its stages' });
}

/** Says what words count for; documents are found by BM25 over what it says. */
export const termsKind: TrainedModelKind = {
  ...modelKinds.get('terms'),
  indexes: true,
  start: (recipe, dataset, options) => TrainedWeigher.start(recipe, dataset, options),
  load: (folder) => TrainedWeigher.load(folder),
  openCheckpoint: (step, options) => TermsCheckpoint.open(step, options),
};
