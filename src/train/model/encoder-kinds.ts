import type { Dataset } from '../../data/index.js';
import type { ModelRecipe, Recipe } from '../../recipe/recipe.js';
import type { CheckpointView, CheckpointViewOptions } from '../refresh/checkpoint-view.js';
import { Refresh } from '../refresh/refresh.js';
import { RerankedView } from '../refresh/reranked-view.js';
import { CrossModel } from './cross-model.js';
import { type StartOptions, startingEncoder } from './starting-encoder.js';
import { TowerModels } from './tower-models.js';
import type { TrainedModel } from './trained-model.js';

/** One value of the encoder axis: everything in which runs of its kind differ from others. */
export interface EncoderKind {
  /** The model that a run of this recipe starts from. */
  start(recipe: Recipe, dataset: Dataset, options: StartOptions): Promise<TrainedModel>;
  /** Loads what the model's `fill` wrote. */
  load(folder: string): Promise<TrainedModel>;
  /** Tokens kept of each text when the collection is tokenised. */
  textLengths(recipe: ModelRecipe): { query: number; document: number };
  /** What a checkpoint finds for queries. */
  openCheckpoint(step: number, options: CheckpointViewOptions): Promise<CheckpointView>;
}

/** Queries and documents become vectors, each by itself. */
const dual: EncoderKind = {
  async start(recipe, dataset, options) {
    const { maxLength, towers } = recipe.model;
    const longest = Math.max(maxLength.query, maxLength.document);
    return TowerModels.from(
      await startingEncoder(recipe, dataset, { ...options, maxLength: longest }),
      towers,
    );
  },
  load: (folder) => TowerModels.load(folder),
  textLengths: ({ maxLength }) => maxLength,
  openCheckpoint: (step, options) => Refresh.open(step, options),
};

/** A query and a document are read together and become a score. */
const cross: EncoderKind = {
  start: (recipe, dataset, options) => CrossModel.start(recipe, dataset, options),
  load: (folder) => CrossModel.load(folder),
  // The pair is cut as a whole, the longer text first, so either may need all the room.
  textLengths: ({ maxLength: { query, document } }) => ({
    query: query + document,
    document: query + document,
  }),
  openCheckpoint: (step, options) => RerankedView.open(step, options),
};

const KINDS: Record<ModelRecipe['kind'], EncoderKind> = { dual, cross };

export function kindOf({ model }: Recipe): EncoderKind {
  return KINDS[model.kind];
}
