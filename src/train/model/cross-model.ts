import type { Dataset } from '../../data/index.js';
import type { ParameterStore, SessionOptions } from '../../engine/index.js';
import {
  type CrossEncoderModel,
  createCrossEncoder,
  type EncoderConfig,
  fillCrossEncoderFolder,
  loadCrossEncoder,
  type SaveModelOptions,
  type TextReader,
} from '../../model/index.js';
import type { Recipe } from '../../recipe/recipe.js';
import type { PlannedStage } from '../../run/plan.js';
import { lossOf } from '../components.js';
import { PairStep } from '../step/pair-step.js';
import type { Step } from '../step/step.js';
import { type StartOptions, scratchEncoder, withDropout } from './starting-encoder.js';
import { hasDropout, type TrainedModel } from './trained-model.js';

/** The cross-encoder that a run trains. */
export class CrossModel implements TrainedModel {
  readonly model: CrossEncoderModel;

  private constructor(model: CrossEncoderModel) {
    this.model = model;
  }

  /** A new one, or one on the transformer of `init`; scoring layers that `init` has are kept. */
  static async start(recipe: Recipe, dataset: Dataset, { quiet }: StartOptions): Promise<CrossModel> {
    const { seed } = recipe;
    const { init, layers, dropout } = recipe.model;
    const maxLength = recipe.model.maxLength.query + recipe.model.maxLength.document;
    const model =
      init === 'scratch'
        ? createCrossEncoder(await scratchEncoder(recipe, dataset, { quiet, maxLength }), { seed })
        : await loadCrossEncoder(init, { layers, maxLength, seed, quiet, newHead: true });
    return new CrossModel({ ...model, spec: { config: withDropout(model.spec.config, dropout) } });
  }

  static async load(folder: string): Promise<CrossModel> {
    return new CrossModel(await loadCrossEncoder(folder));
  }

  get parameters(): ParameterStore {
    return this.model.parameters;
  }

  get config(): EncoderConfig {
    return this.model.spec.config;
  }

  /** Texts are read as they are: a cross-encoder has no prompts. */
  get reader(): TextReader {
    return { tokenizer: this.model.tokenizer, prompts: {}, lowercase: false };
  }

  step(_recipe: Recipe, stage: PlannedStage, session: SessionOptions): Promise<Step> {
    return PairStep.create({
      model: this.model,
      loss: lossOf(stage.loss),
      scale: 1 / stage.loss.temperature,
      dropout: hasDropout(this.config),
      session,
    });
  }

  fill(folder: string, options: SaveModelOptions): Promise<void> {
    return fillCrossEncoderFolder(folder, this.model, options);
  }
}
