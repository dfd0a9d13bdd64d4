import { NearmissError } from '../../base/errors.js';
import { type Dataset, documentTexts } from '../../data/index.js';
import {
  createEncoderModel,
  type EncoderConfig,
  type EncoderModel,
  loadEncoderModel,
} from '../../model/index.js';
import { fitMlmHead } from '../../model/mlm/fit-mlm-head.js';
import { MLM_HEAD } from '../../model/mlm/mlm-head.js';
import { makesTerms } from '../../model/representation/kinds.js';
import { fitTokenWeights } from '../../model/terms/fit-token-weights.js';
import { TokenRarity } from '../../model/terms/token-rarity.js';
import type { ModelRecipe, Recipe } from '../../recipe/recipe.js';
import { trainTokenizer } from '../../text/train-tokenizer.js';

export interface StartOptions {
  quiet?: boolean;
}

/** The encoder that a recipe's `init` names, or a new one, for whatever head is put on it. */
export async function startingEncoder(
  recipe: Recipe,
  dataset: Dataset,
  options: StartOptions & { maxLength: number },
): Promise<EncoderModel> {
  const { init, layers, head, dropout } = recipe.model;
  const model =
    init === 'scratch'
      ? await scratchEncoder(recipe, dataset, options)
      : await loadEncoderModel(init, {
          layers,
          head,
          maxLength: options.maxLength,
          seed: recipe.seed,
          quiet: options.quiet,
        });
  await fitNewHead(model, recipe, dataset);
  return { ...model, spec: { ...model.spec, config: withDropout(model.spec.config, dropout) } };
}

/** Starts a new head that makes terms where it finds something before it has learned. */
async function fitNewHead(model: EncoderModel, recipe: Recipe, dataset: Dataset): Promise<void> {
  const { newHead, spec } = model;
  const { seed } = recipe;
  const suggests = newHead?.has(`${MLM_HEAD}.bias`);
  // DeepCT's weights (kind: terms) are not multiplied with those of a query: it learns what they are to be.
  const weighs = newHead?.has('head.linear.bias') && makesTerms(spec.head) && recipe.model.kind !== 'terms';
  if (!suggests && !weighs) return;
  const rarity = await TokenRarity.of(documentTexts(dataset).records(), model, { seed });
  if (suggests) await fitMlmHead(model, { seed, rarity });
  else await fitTokenWeights(model, rarity);
}

/** A config with other dropout rates, where some are given. */
export function withDropout(config: EncoderConfig, dropout: number | undefined): EncoderConfig {
  return dropout === undefined ? config : { ...config, hiddenDropout: dropout, attentionDropout: dropout };
}

/** A new encoder of the recipe's sizes, with a tokenizer trained on the collection. */
export async function scratchEncoder(
  recipe: Recipe,
  dataset: Dataset,
  { quiet, maxLength }: StartOptions & { maxLength: number },
): Promise<EncoderModel> {
  const { layers, hiddenSize, heads, vocabularySize, head } = requireSizes(recipe.model);
  async function* texts(): AsyncGenerator<string> {
    for await (const { text } of documentTexts(dataset).records()) yield text;
    for await (const { text } of dataset.queries()) yield text;
  }
  const tokenizer = await trainTokenizer(texts(), { vocabularySize, quiet });
  return createEncoderModel({
    tokenizer,
    layers,
    hiddenSize,
    heads,
    maxLength,
    head,
    seed: recipe.seed,
  });
}

type Sizes = 'layers' | 'hiddenSize' | 'heads' | 'vocabularySize';

function requireSizes(model: ModelRecipe): ModelRecipe & Required<Pick<ModelRecipe, Sizes>> {
  const sizes: Sizes[] = ['layers', 'hiddenSize', 'heads', 'vocabularySize'];
  const missing = sizes.filter((size) => model[size] === undefined);
  if (missing.length > 0) {
    throw new NearmissError(`model.init scratch needs ${missing.map((size) => `model.${size}`).join(', ')}`, {
      hint: 'set them in the recipe or with --set, e.g. --set model.hiddenSize=128',
    });
  }
  return model as ModelRecipe & Required<Pick<ModelRecipe, Sizes>>;
}
