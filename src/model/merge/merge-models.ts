import { mkdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { writeDirectoryAtomic } from '../../base/files.js';
import { CREATED_BY } from '../../base/version.js';
import { ParameterStore } from '../../engine/index.js';
import {
  type CrossEncoderModel,
  fillCrossEncoderFolder,
  loadCrossEncoder,
} from '../cross-encoder/cross-encoder-model.js';
import { isCrossEncoder } from '../cross-encoder/cross-encoder-names.js';
import { type EncoderModel, loadEncoderModel } from '../encoder/encoder-model.js';
import { fillEncoderFolder } from '../encoder/save-encoder.js';
import type { ModelCard } from '../folder/model-card.js';
import { resolveModel } from '../folder/source.js';
import { isTwoTowers, TOWER_FOLDERS } from '../folder/tower-folders.js';
import type { HubOptions } from '../hub/hub.js';
import { checkMergeable, type Mergeable } from './mergeable.js';
import { checkMixWeights, mixParameters } from './mix-parameters.js';

export interface MergeModelsOptions extends HubOptions {
  /** Two or more models of one architecture: folders, `minilm`, hub ids. */
  models: readonly string[];
  /** One for each, from 0; only their proportions matter. Default: all the same. */
  weights?: readonly number[];
  /** The folder of the merged model, which must not be there. */
  out: string;
}

export interface MergedModel {
  out: string;
  kind: MergedKind;
  /** Each model with its share of the whole. */
  models: { model: string; share: number }[];
  parameters: number;
  /** Tokens that it reads: as many as the first model does. */
  maxLength: number;
}

/** One encoder, one for each side, or one that reads pairs. */
type MergedKind = 'encoder' | 'two towers' | 'cross-encoder';

/** One of the encoders that a model consists of, and where in the folder it is. */
interface Part extends Mergeable {
  place: string;
  maxLength: number;
  fill(folder: string, parameters: ParameterStore, card: Partial<ModelCard>): Promise<void>;
}

interface Opened {
  kind: MergedKind;
  parts: Part[];
}

/**
 * Merges models of one architecture into one: each parameter becomes the weighted mean of theirs (model soup,
 * LM-Cocktail). The folder has everything that a trained model's has, and appears complete or not at all.
 *
 * @example
 * const { models } = await mergeModels({ models: ['runs/mine/start', 'runs/mine/best'], weights: [1, 3], out: 'merged' });
 * models.map(({ share }) => share); // [0.25, 0.75]
 */
export async function mergeModels(options: MergeModelsOptions): Promise<MergedModel> {
  const { models, out, weights = models.map(() => 1), ...hub } = options;
  if (models.length < 2) {
    throw new NearmissError(`models: expected two or more to merge, got ${models.length}`);
  }
  checkMixWeights(weights, models.length);
  const opened: Opened[] = [];
  for (const model of models) {
    opened.push(await open(model, hub));
    checkAlike(opened[0], opened.at(-1)!, models[0], model);
  }
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = models.map((model, i) => ({ model, share: weights[i] / total }));
  const card: Partial<ModelCard> = {
    name: basename(resolve(out)),
    baseModel: models[0],
    recipe: Object.fromEntries(shares.map(({ model, share }) => [`share of ${model}`, share])),
    versions: { nearmiss: CREATED_BY, node: process.versions.node },
  };
  let parameters = 0;
  await writeDirectoryAtomic(out, async (folder) => {
    for (const [i, part] of opened[0].parts.entries()) {
      const mixed = new ParameterStore(part.parameters.specs);
      mixParameters(
        mixed,
        opened.map(({ parts }, nth) => ({ parameters: parts[i].parameters, weight: weights[nth] })),
      );
      parameters += mixed.buffer.length;
      await mkdir(join(folder, part.place), { recursive: true });
      await part.fill(join(folder, part.place), mixed, card);
    }
  });
  const { kind, parts } = opened[0];
  return { out, kind, models: shares, parameters, maxLength: parts[0].maxLength };
}

function checkAlike(first: Opened, other: Opened, firstName: string, name: string): void {
  if (first.kind !== other.kind) {
    throw new NearmissError(
      `${name}: expected a model of the kind of ${firstName} (${first.kind}), got ${other.kind}`,
      {
        hint: 'only models of one architecture can be merged',
      },
    );
  }
  for (const [i, part] of first.parts.entries()) checkMergeable(part, other.parts[i]);
}

async function open(model: string, hub: HubOptions): Promise<Opened> {
  const { folder } = await resolveModel(model, hub);
  if (await isTwoTowers(folder)) {
    const parts: Part[] = [];
    for (const place of Object.values(TOWER_FOLDERS)) {
      const origin = join(folder, place);
      parts.push(encoderPart(await loadEncoderModel(origin), { place, origin }));
    }
    return { kind: 'two towers', parts };
  }
  if (await isCrossEncoder(folder)) {
    return { kind: 'cross-encoder', parts: [crossPart(await loadCrossEncoder(model, hub), model)] };
  }
  return {
    kind: 'encoder',
    parts: [encoderPart(await loadEncoderModel(model, hub), { place: '', origin: model })],
  };
}

function encoderPart(model: EncoderModel, { place, origin }: { place: string; origin: string }): Part {
  const { spec, parameters, tokenizer, maxLength, prompts, lowercase } = model;
  const { pooling, poolingOptions, normalize } = spec.head;
  return {
    place,
    origin,
    parameters,
    tokenizer,
    config: spec.config,
    maxLength,
    more: { pooling, poolingOptions, normalize, prompts, lowercase },
    fill: (folder, mixed, card) => fillEncoderFolder(folder, { ...model, parameters: mixed }, { card }),
  };
}

function crossPart(model: CrossEncoderModel, origin: string): Part {
  const { spec, parameters, tokenizer, maxLength } = model;
  return {
    place: '',
    origin,
    parameters,
    tokenizer,
    config: spec.config,
    maxLength,
    more: {},
    fill: (folder, mixed, card) => fillCrossEncoderFolder(folder, { ...model, parameters: mixed }, { card }),
  };
}
