import { NearmissError } from '../../base/errors.js';
import type { Dataset } from '../../data/index.js';
import type { ParameterStore, SessionOptions } from '../../engine/index.js';
import type { Ranking } from '../../evaluate/index.js';
import {
  CrossEncoder,
  type CrossEncoderModel,
  createCrossEncoder,
  type EncoderConfig,
  fillCrossEncoderFolder,
  joinTexts,
  loadCrossEncoder,
  type SaveModelOptions,
  type TextReader,
} from '../../model/index.js';
import { modelKinds } from '../../model/kinds.js';
import type { Recipe } from '../../recipe/recipe.js';
import { textLengths } from '../../recipe/text-lengths.js';
import { modelFolder } from '../../run/model-folder.js';
import type { ModelRankingsOptions } from '../refresh/model-rankings.js';
import { type PairScores, Reranking } from '../refresh/reranking.js';
import { RerankingCheckpoint } from '../refresh/reranking-checkpoint.js';
import { DirectStep } from '../step/direct-step.js';
import type { LiveEncoder } from '../step/live-encoder.js';
import { pairScores } from '../step/pair-scores.js';
import type { Step } from '../step/step.js';
import type { RetrievalBatch } from '../task/batch.js';
import { type StartOptions, scratchEncoder, withDropout } from './starting-encoder.js';
import {
  hasDropout,
  type RetrievalStepOptions,
  type TrainedModel,
  type TrainedModelKind,
} from './trained-model.js';

/** The cross-encoder that a run trains. */
class CrossModel implements TrainedModel {
  readonly model: CrossEncoderModel;

  private constructor(model: CrossEncoderModel) {
    this.model = model;
  }

  /** A new one, or one on the transformer of `init`; scoring layers that `init` has are kept. */
  static async start(recipe: Recipe, dataset: Dataset, { quiet }: StartOptions): Promise<CrossModel> {
    const { seed } = recipe;
    const { init, layers, dropout } = recipe.model;
    const { query, document } = textLengths(recipe.model);
    const maxLength = query + document;
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

  step({ losses, learns, session }: RetrievalStepOptions): Promise<Step<RetrievalBatch>> {
    const scores = pairScores({ model: this.model, dropout: hasDropout(this.config) });
    return DirectStep.create({ scores, losses, parameters: this.parameters, learns, session });
  }

  async liveEncoder(): Promise<LiveEncoder> {
    throw new NearmissError('a cross-encoder makes no rows of texts', {
      hint: 'take negatives from bm25, random or static',
    });
  }

  async rankings(options: ModelRankingsOptions): Promise<Map<string, Ranking>> {
    const scores = await pairScoresOf(this.model, options.session);
    return new Reranking(scores, options)
      .rankings(options.queries, options.k)
      .finally(() => scores.release());
  }

  fill(folder: string, options: SaveModelOptions): Promise<void> {
    return fillCrossEncoderFolder(folder, this.model, options);
  }
}

async function pairScoresOf(model: CrossEncoderModel, session: SessionOptions): Promise<PairScores> {
  const encoder = await CrossEncoder.create(model, { session });
  return {
    score: (query, documents) =>
      encoder.scoreTokens(documents.map((document) => joinTexts(model, query, document))),
    release: () => encoder.release(),
  };
}

/** A query and a document are read together and become a score. */
export const crossKind: TrainedModelKind = {
  ...modelKinds.get('cross'),
  indexes: false,
  start: (recipe, dataset, options) => CrossModel.start(recipe, dataset, options),
  load: (folder) => CrossModel.load(folder),
  openCheckpoint: (step, options) =>
    RerankingCheckpoint.open(step, options, async () =>
      pairScoresOf(await loadCrossEncoder(await modelFolder(options.run, step)), options.session),
    ),
};
