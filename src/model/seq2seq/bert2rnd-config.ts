import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { validate } from '../../base/json-file.js';
import { type EncoderConfig, parseEncoderConfig, toHuggingFaceConfig } from '../encoder/config.js';

/** An encoder of the BERT family and new decoder layers on top of it. */
export interface Bert2RndConfig {
  encoder: EncoderConfig;
  decoderLayers: number;
  /** Rows of the decoder's own table of positions. */
  maxTarget: number;
  startId: number;
  endId: number;
  /** Whether it can copy tokens of the source; Transformers leaves the weights for it aside. */
  copy: boolean;
}

export const BERT2RND_TYPE = 'encoder-decoder';

const huggingFaceConfig = z.looseObject({
  model_type: z.literal(BERT2RND_TYPE),
  encoder: z.looseObject({}),
  decoder: z.looseObject({
    num_hidden_layers: z.int().min(1),
    max_position_embeddings: z.int().min(1),
    hidden_size: z.int().min(1),
    intermediate_size: z.int().min(1),
    num_attention_heads: z.int().min(1),
    vocab_size: z.int().min(1),
  }),
  decoder_start_token_id: z.int().min(0),
  eos_token_id: z.int().min(0),
  copies_source: z.boolean().optional(),
});

/** Reads the config of Transformers' `EncoderDecoderModel` whose decoder is as wide as its encoder. */
export function parseBert2RndConfig(raw: object, where: string): Bert2RndConfig {
  const config = validate(raw, { where, schema: huggingFaceConfig });
  const encoder = parseEncoderConfig(config.encoder, `${where}: field "encoder"`);
  const { decoder } = config;
  const same: [string, number, number][] = [
    ['hidden_size', decoder.hidden_size, encoder.hiddenSize],
    ['intermediate_size', decoder.intermediate_size, encoder.intermediateSize],
    ['num_attention_heads', decoder.num_attention_heads, encoder.heads],
    ['vocab_size', decoder.vocab_size, encoder.vocabularySize],
  ];
  for (const [field, got, expected] of same) {
    if (got === expected) continue;
    throw new NearmissError(
      `${where}: field "decoder.${field}": expected ${expected} as of the encoder, got ${got}`,
      { hint: 'nearmiss reads encoder-decoder models whose two halves have the same sizes' },
    );
  }
  return {
    encoder,
    decoderLayers: decoder.num_hidden_layers,
    maxTarget: decoder.max_position_embeddings,
    startId: config.decoder_start_token_id,
    endId: config.eos_token_id,
    copy: config.copies_source ?? false,
  };
}

/** The content of a `config.json` that Transformers' `EncoderDecoderModel` loads. */
export function toBert2RndHuggingFaceConfig(config: Bert2RndConfig): Record<string, unknown> {
  const encoder = toHuggingFaceConfig(config.encoder);
  return {
    architectures: ['EncoderDecoderModel'],
    ...(config.copy && { copies_source: true }),
    decoder: {
      ...encoder,
      add_cross_attention: true,
      architectures: ['BertLMHeadModel'],
      is_decoder: true,
      max_position_embeddings: config.maxTarget,
      model_type: 'bert',
      num_hidden_layers: config.decoderLayers,
      tie_word_embeddings: true,
    },
    decoder_start_token_id: config.startId,
    encoder,
    eos_token_id: config.endId,
    is_encoder_decoder: true,
    model_type: BERT2RND_TYPE,
    pad_token_id: config.encoder.padTokenId,
    torch_dtype: 'float32',
  };
}
