import type { SessionOptions } from '../../engine/index.js';
import type { EncoderModel } from '../encoder/encoder-model.js';
import type { TokenizedText } from '../encoder/tokenized-texts.js';
import { ridge } from '../mlm/ridge.js';
import type { TokenRarity } from './token-rarity.js';
import { tokenStates } from './token-states.js';

/** Tokens that are fitted to. */
const TOKENS = 8000;
const SHRINK = 0.01;

/**
 * Starts a new head that weighs tokens (uniCOIL) where training can begin: the linear map of states that comes nearest to √idf,
 * so that what query and document share counts by its idf, without a label having been seen.
 */
export async function fitTokenWeights(
  model: EncoderModel,
  rarity: TokenRarity,
  { session }: { session?: SessionOptions } = {},
): Promise<void> {
  const { poolingOptions } = model.spec.head;
  const skipped = new Set((poolingOptions as { skip: readonly number[] }).skip);
  const texts = firstTexts(rarity.texts);
  const inputs = model.spec.config.hiddenSize;
  const states = await tokenStates(model, texts, session);
  const ids = texts.flatMap((text) => Array.from(text.ids));
  const places = ids.flatMap((id, place) => (skipped.has(id) ? [] : [place]));
  if (places.length === 0) return;
  const rows = new Float32Array(places.length * inputs);
  places.forEach((place, row) => {
    rows.set(states.subarray(place * inputs, (place + 1) * inputs), row * inputs);
  });
  const targets = Float32Array.from(places, (place) => Math.sqrt(rarity.idf(ids[place])));
  const { weight, bias } = ridge(rows, targets, { inputs, outputs: 1, shrink: SHRINK });
  model.parameters.get('head.linear.weight').set(weight);
  model.parameters.get('head.linear.bias').set(bias);
}

function firstTexts(texts: readonly TokenizedText[]): TokenizedText[] {
  let tokens = 0;
  return texts.filter(({ ids }) => {
    const wanted = tokens < TOKENS;
    tokens += ids.length;
    return wanted;
  });
}
