import { join } from 'node:path';
import { joinedParameters, ParameterStore, type SessionOptions } from '../../engine/index.js';
import type { Ranking } from '../../evaluate/index.js';
import { projectorParameters } from '../../model/encoder/encoder-graph.js';
import { initialize } from '../../model/encoder/initialize.js';
import { isTwoTowers, TOWER_FOLDERS } from '../../model/folder/tower-folders.js';
import {
  type EncoderConfig,
  type EncoderModel,
  embeddingSize,
  encoderParameters,
  fillEncoderFolder,
  loadEncoderModel,
  type SaveModelOptions,
  type TextReader,
} from '../../model/index.js';
import { modelKinds } from '../../model/kinds.js';
import { loadMlmHead } from '../../model/mlm/load-mlm-head.js';
import { pooledRow } from '../../model/representation/kinds.js';
import { startRebuilding } from '../../model/retromae/start-rebuilding.js';
import { scorers } from '../../model/scorer/kinds.js';
import type { Scorer } from '../../model/scorer/scorer.js';
import { SIDES, type Side } from '../../model/side.js';
import { documentSplit } from '../../recipe/document-split.js';
import { kindOptions } from '../../recipe/kind-options.js';
import type { ModelRecipe, Towers } from '../../recipe/recipe.js';
import { textLengths } from '../../recipe/text-lengths.js';
import { DenseCheckpoint } from '../refresh/dense-checkpoint.js';
import { denseRankings, type ModelRankingsOptions } from '../refresh/model-rankings.js';
import { CachedStep } from '../step/cached-step.js';
import { DirectStep } from '../step/direct-step.js';
import { LiveEncoder } from '../step/live-encoder.js';
import { MaskedGuesser, MaskedStep } from '../step/masked-step.js';
import { RetroMaeStep } from '../step/retromae-step.js';
import type { Step } from '../step/step.js';
import { towerScores } from '../step/tower-scores.js';
import { TOWER_PREFIX, towerParameters } from '../step/towers.js';
import type { RetrievalBatch } from '../task/batch.js';
import { startingEncoder } from './starting-encoder.js';
import {
  type Guesser,
  hasDropout,
  type LiveEncoderOptions,
  type RetrievalStepOptions,
  type TrainedModel,
  type TrainedModelKind,
} from './trained-model.js';

/**
 * The encoder, or the two, that a run trains: one buffer of parameters for the optimizer, and a model for each side
 * to encode with and to save.
 */
class TowerModels implements TrainedModel {
  readonly towers: Towers;
  /** What the step's graph and the optimizer work on. */
  readonly parameters: ParameterStore;
  readonly #model: EncoderModel;

  private constructor(model: EncoderModel, towers: Towers, parameters: ParameterStore) {
    this.#model = model;
    this.towers = towers;
    this.parameters = parameters;
  }

  /** Starts from one model; two towers start alike. */
  static from(model: EncoderModel, towers: Towers): TowerModels {
    if (towers === 'shared') return new TowerModels(model, towers, model.parameters);
    const models = new TowerModels(model, towers, new ParameterStore(towerParameters(model.spec, towers)));
    for (const side of SIDES) models.#copy(side, model.parameters, 'in');
    return models;
  }

  /** Loads what {@link TowerModels.fill} wrote. */
  static async load(folder: string): Promise<TowerModels> {
    if (!(await isTwoTowers(folder))) return TowerModels.from(await loadEncoderModel(folder), 'shared');
    const model = await loadEncoderModel(join(folder, TOWER_FOLDERS.documents));
    const models = TowerModels.from(model, 'two');
    const { parameters } = await loadEncoderModel(join(folder, TOWER_FOLDERS.queries));
    models.#copy('queries', parameters, 'in');
    return models;
  }

  get config(): EncoderConfig {
    return this.#model.spec.config;
  }

  get reader(): TextReader {
    return this.#model;
  }

  get vectorSize(): number {
    return embeddingSize(this.#model.spec);
  }

  step(options: RetrievalStepOptions): Promise<Step<RetrievalBatch>> {
    const { recipe, stage, losses, learns, frozen, projector, session } = options;
    const { spec } = this.#model;
    const towers = {
      spec,
      towers: this.towers,
      scorer: scorerOf(recipe.model),
      maxPieces: documentSplit(recipe.model).maxPieces,
      dropout: hasDropout(spec.config),
      frozen,
      projector: projector !== undefined,
    };
    const parameters = projector ? joinedParameters(this.parameters, projector) : this.parameters;
    const progress = (step: number): number => (step - stage.start) / Math.max(1, stage.end - stage.start);
    const shared = { losses, parameters, learns, progress, session };
    const { cacheTokens } = stage.batch;
    return cacheTokens > 0
      ? CachedStep.create({ ...towers, ...shared, tokenBudget: cacheTokens })
      : DirectStep.create({ ...shared, scores: towerScores(towers) });
  }

  get guesser(): Guesser | undefined {
    if (this.towers === 'two') return undefined;
    const { parameters } = this;
    const { config, head } = this.#model.spec;
    const dropout = hasDropout(config);
    const pooling = pooledRow(head);
    return {
      head: (init) => loadMlmHead(init, config),
      step: (options) => MaskedStep.create({ config, parameters, dropout, ...options }),
      open: (options) => MaskedGuesser.create({ config, parameters, ...options }),
      ...(pooling && {
        rebuilder: {
          start: (init, seed) => startRebuilding(init, config, seed),
          step: (options) => RetroMaeStep.create({ config, pooling, parameters, dropout, ...options }),
        },
      }),
    };
  }

  projector(seed: number): ParameterStore {
    const store = new ParameterStore(towerParameters(this.#model.spec, this.towers, projectorParameters));
    for (const name of store.names) initialize(store, name, seed);
    return store;
  }

  liveEncoder(
    side: Side,
    session: SessionOptions,
    { parameters = this.parameters, dropout = false }: LiveEncoderOptions = {},
  ): Promise<LiveEncoder> {
    const { spec } = this.#model;
    const prefix = TOWER_PREFIX[this.towers][side];
    const drops = dropout && hasDropout(spec.config);
    return LiveEncoder.create({ spec, prefix, side, parameters, dropout: drops, session });
  }

  rankings(options: ModelRankingsOptions): Promise<Map<string, Ranking>> {
    return denseRankings((side) => this.model(side), options);
  }

  /** One side's model as it is now; with two towers a copy. */
  model(side: Side): EncoderModel {
    if (this.towers === 'shared') return this.#model;
    const parameters = new ParameterStore(encoderParameters(this.#model.spec));
    this.#copy(side, parameters, 'out');
    return { ...this.#model, parameters };
  }

  /** Writes the model or models into a folder that the caller makes appear. */
  async fill(folder: string, options: SaveModelOptions): Promise<void> {
    if (this.towers === 'shared') return fillEncoderFolder(folder, this.#model, options);
    for (const side of SIDES)
      await fillEncoderFolder(join(folder, TOWER_FOLDERS[side]), this.model(side), options);
  }

  #copy(side: Side, store: ParameterStore, direction: 'in' | 'out'): void {
    const prefix = TOWER_PREFIX[this.towers][side];
    for (const name of store.names) {
      const [own, other] = [this.parameters.get(prefix + name), store.get(name)];
      if (direction === 'in') own.set(other);
      else other.set(own);
    }
  }
}

function scorerOf(model: ModelRecipe): Scorer {
  const kind = scorers.get(model.scorer);
  return kind.create(kindOptions(kind, model));
}

/** Queries and documents become vectors, each by itself. */
export const dualKind: TrainedModelKind = {
  ...modelKinds.get('dual'),
  indexes: true,
  async start(recipe, dataset, options) {
    const { query, document } = textLengths(recipe.model);
    return TowerModels.from(
      await startingEncoder(recipe, dataset, { ...options, maxLength: Math.max(query, document) }),
      recipe.model.towers,
    );
  },
  load: (folder) => TowerModels.load(folder),
  openCheckpoint: (step, options) => DenseCheckpoint.open(step, options),
};
