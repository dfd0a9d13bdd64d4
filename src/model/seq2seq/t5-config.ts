import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { validate } from '../../base/json-file.js';

/** What the graph of a T5 needs to know. */
export interface T5Config {
  modelType: string;
  hiddenSize: number;
  /** Width of an attention head; not hiddenSize / heads. */
  headWidth: number;
  heads: number;
  innerSize: number;
  layers: number;
  decoderLayers: number;
  vocabularySize: number;
  buckets: number;
  maxDistance: number;
  /** `relu` in v1.0; in v1.1 and flan a GELU that gates a second product. */
  feedForward: 'relu' | 'gated-gelu';
  /** The output shares the table of words, and is scaled by hiddenSize^−½. */
  tied: boolean;
  normEps: number;
  dropout: number;
  padId: number;
  endId: number;
  startId: number;
}

const size = z.int().min(1);

const huggingFaceConfig = z.looseObject({
  model_type: z.string(),
  d_model: size,
  d_kv: size,
  num_heads: size,
  d_ff: size,
  num_layers: size,
  num_decoder_layers: size.nullish(),
  vocab_size: size,
  relative_attention_num_buckets: size.default(32),
  relative_attention_max_distance: size.default(128),
  feed_forward_proj: z.string().default('relu'),
  tie_word_embeddings: z.boolean().nullish(),
  layer_norm_epsilon: z.number().positive().default(1e-6),
  dropout_rate: z.number().min(0).lt(1).default(0.1),
  pad_token_id: z.int().min(0).nullish(),
  eos_token_id: z.int().min(0).nullish(),
  decoder_start_token_id: z.int().min(0).nullish(),
});

const FEED_FORWARDS: readonly T5Config['feedForward'][] = ['relu', 'gated-gelu'];

/** Model types of Hugging Face that are T5's graph. */
export const T5_TYPES: readonly string[] = ['t5', 'mt5'];

/** Turns the content of a Hugging Face `config.json` into ours; what the graph cannot do is an error. */
export function parseT5Config(raw: object, where: string): T5Config {
  const config = validate(raw, { where, schema: huggingFaceConfig });
  const feedForward = FEED_FORWARDS.find((kind) => kind === config.feed_forward_proj);
  if (!feedForward) {
    throw new NearmissError(
      `${where}: field "feed_forward_proj": expected one of ${FEED_FORWARDS.join(', ')}, got "${config.feed_forward_proj}"`,
      { hint: 'choose a T5 v1.0, v1.1 or flan model' },
    );
  }
  return {
    modelType: config.model_type,
    hiddenSize: config.d_model,
    headWidth: config.d_kv,
    heads: config.num_heads,
    innerSize: config.d_ff,
    layers: config.num_layers,
    decoderLayers: config.num_decoder_layers ?? config.num_layers,
    vocabularySize: config.vocab_size,
    buckets: config.relative_attention_num_buckets,
    maxDistance: config.relative_attention_max_distance,
    feedForward,
    tied: config.tie_word_embeddings ?? true,
    normEps: config.layer_norm_epsilon,
    dropout: config.dropout_rate,
    padId: config.pad_token_id ?? 0,
    endId: config.eos_token_id ?? 1,
    startId: config.decoder_start_token_id ?? config.pad_token_id ?? 0,
  };
}

/** The content of a `config.json` that Transformers loads. */
export function toT5HuggingFaceConfig(config: T5Config): Record<string, unknown> {
  return {
    architectures: [
      config.modelType === 'mt5' ? 'MT5ForConditionalGeneration' : 'T5ForConditionalGeneration',
    ],
    d_ff: config.innerSize,
    d_kv: config.headWidth,
    d_model: config.hiddenSize,
    decoder_start_token_id: config.startId,
    dropout_rate: config.dropout,
    eos_token_id: config.endId,
    feed_forward_proj: config.feedForward,
    is_encoder_decoder: true,
    layer_norm_epsilon: config.normEps,
    model_type: config.modelType,
    num_decoder_layers: config.decoderLayers,
    num_heads: config.heads,
    num_layers: config.layers,
    pad_token_id: config.padId,
    relative_attention_max_distance: config.maxDistance,
    relative_attention_num_buckets: config.buckets,
    tie_word_embeddings: config.tied,
    torch_dtype: 'float32',
    use_cache: true,
    vocab_size: config.vocabularySize,
  };
}
