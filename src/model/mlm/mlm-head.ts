import { gelu, layerNorm, linear, type ParameterSpec, type Value } from '../../engine/index.js';
import type { EncoderConfig } from '../encoder/config.js';

/** BERT's names: of the head, and of the table of words that its last layer shares with the embeddings. */
export const MLM_HEAD = 'cls.predictions';
const WORDS = 'embeddings.word_embeddings.weight';

/**
 * The parameters of a head that says which word stands where, but for the table of words, which is the encoder's.
 *
 * @param at the head's place in a model that calls it otherwise than {@link MLM_HEAD}
 */
export function mlmHeadParameters(
  { hiddenSize, vocabularySize }: Pick<EncoderConfig, 'hiddenSize' | 'vocabularySize'>,
  at: string = MLM_HEAD,
): ParameterSpec[] {
  return [
    { name: `${at}.transform.dense.weight`, shape: [hiddenSize, hiddenSize] },
    { name: `${at}.transform.dense.bias`, shape: [hiddenSize] },
    { name: `${at}.transform.LayerNorm.weight`, shape: [hiddenSize] },
    { name: `${at}.transform.LayerNorm.bias`, shape: [hiddenSize] },
    { name: `${at}.bias`, shape: [vocabularySize] },
  ];
}

export interface MlmHeadOptions {
  config: Pick<EncoderConfig, 'layerNormEps'>;
  parameter: (name: string) => Value;
  /** Default {@link MLM_HEAD}. */
  at?: string;
  /** The table of words. Default: where a BERT encoder has it. */
  words?: string;
}

/** What the head compares with words, [rows, hidden]: LayerNorm(GELU(W·h + b)). */
export function mlmTransform(
  states: Value,
  { config, parameter, at = MLM_HEAD }: Omit<MlmHeadOptions, 'words'>,
): Value {
  const [dense, norm] = [`${at}.transform.dense`, `${at}.transform.LayerNorm`];
  const inner = gelu(linear(states, parameter(`${dense}.weight`), parameter(`${dense}.bias`)));
  return layerNorm(inner, parameter(`${norm}.weight`), parameter(`${norm}.bias`), {
    epsilon: config.layerNormEps,
  });
}

/**
 * Logits over the vocabulary, [rows, vocabulary]: LayerNorm(GELU(W·h + b))·Eᵀ + c with E the table of words.
 *
 * A row costs hidden × vocabulary products, so give it only the states that are asked about: `selectRows` before, not after.
 *
 * @param states [rows, hidden]
 */
export function mlmLogits(states: Value, options: MlmHeadOptions): Value {
  const { parameter, at = MLM_HEAD, words = WORDS } = options;
  return linear(mlmTransform(states, options), parameter(words), parameter(`${at}.bias`));
}
