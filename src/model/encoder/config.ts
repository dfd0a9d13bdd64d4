import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { readJsonFile, validate } from '../../base/json-file.js';

/** What the graph of an encoder needs to know. */
export interface EncoderConfig {
  architecture: 'bert' | 'roberta';
  /** The Hugging Face name where it says more than `architecture`: same graph, other tokenizer. */
  modelType?: ModelType;
  hiddenSize: number;
  layers: number;
  heads: number;
  intermediateSize: number;
  vocabularySize: number;
  /** Rows of the position table; {@link maxInputLength} says how many tokens fit. */
  maxPositions: number;
  /** 1 in RoBERTa, which has no segments. */
  typeVocabularySize: number;
  layerNormEps: number;
  /** The exact GELU, x·Φ(x). */
  hiddenAct: 'gelu';
  hiddenDropout: number;
  attentionDropout: number;
  padTokenId: number;
  /** Row of the position table that the first token uses: 0 in BERT, `padTokenId + 1` in RoBERTa. */
  positionOffset: number;
  /** The file of 8-bit weights that this model, or the one it was trained from, was made of. */
  dequantizedFrom?: string;
}

/** The longest input in tokens: RoBERTa leaves the first rows of its position table to padding. */
export function maxInputLength(config: Pick<EncoderConfig, 'maxPositions' | 'positionOffset'>): number {
  return config.maxPositions - config.positionOffset;
}

/** Hugging Face model types and the graph each of them is. */
const ARCHITECTURES = {
  bert: 'bert',
  roberta: 'roberta',
  'xlm-roberta': 'roberta',
  camembert: 'roberta',
} as const;

export type ModelType = keyof typeof ARCHITECTURES;

/** Class name prefixes, for configs from before `model_type` existed (Microsoft's ANCE checkpoints). */
const CLASS_PREFIXES: [string, ModelType][] = [
  ['XLMRoberta', 'xlm-roberta'],
  ['Roberta', 'roberta'],
  ['Camembert', 'camembert'],
  ['Bert', 'bert'],
];

const size = z.int().min(1);
const rate = z.number().min(0).lt(1);

const huggingFaceConfig = z.looseObject({
  model_type: z.string().optional(),
  architectures: z.array(z.string()).nullish(),
  hidden_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  intermediate_size: size,
  vocab_size: size,
  max_position_embeddings: size,
  type_vocab_size: size.optional(),
  layer_norm_eps: z.number().positive().optional(),
  hidden_act: z.string().default('gelu'),
  hidden_dropout_prob: rate.default(0.1),
  attention_probs_dropout_prob: rate.default(0.1),
  pad_token_id: z.int().min(0).nullish(),
  position_embedding_type: z.string().nullish(),
  is_decoder: z.boolean().nullish(),
  dequantized_from: z.string().optional(),
});

type HuggingFaceConfig = z.infer<typeof huggingFaceConfig>;

/** Reads a Hugging Face `config.json` of the BERT family. */
export async function readEncoderConfig(path: string): Promise<EncoderConfig> {
  const raw = await readJsonFile(path, z.looseObject({}), {
    hint: 'name a folder saved by transformers, sentence-transformers or nearmiss',
  });
  return parseEncoderConfig(raw, path);
}

/**
 * Turns the content of a Hugging Face `config.json` into ours; what the graph cannot do is an error.
 *
 * @param where named in errors, usually the file's path
 */
export function parseEncoderConfig(raw: object, where: string): EncoderConfig {
  const modelType = findModelType(raw as Partial<HuggingFaceConfig>, where);
  const config = validate(raw, { where, schema: huggingFaceConfig });
  checkSupported(config, where);
  const architecture = ARCHITECTURES[modelType];
  const padTokenId = config.pad_token_id ?? (architecture === 'roberta' ? 1 : 0);
  const positionOffset = architecture === 'roberta' ? padTokenId + 1 : 0;
  if (config.max_position_embeddings <= positionOffset) {
    throw new NearmissError(
      `${where}: field "max_position_embeddings": expected more than ${positionOffset} (pad_token_id + 1), got ${config.max_position_embeddings}`,
      { hint: 'correct config.json' },
    );
  }
  return {
    architecture,
    modelType,
    hiddenSize: config.hidden_size,
    layers: config.num_hidden_layers,
    heads: config.num_attention_heads,
    intermediateSize: config.intermediate_size,
    vocabularySize: config.vocab_size,
    maxPositions: config.max_position_embeddings,
    typeVocabularySize: config.type_vocab_size ?? 2,
    layerNormEps: config.layer_norm_eps ?? 1e-12,
    hiddenAct: 'gelu',
    hiddenDropout: config.hidden_dropout_prob,
    attentionDropout: config.attention_probs_dropout_prob,
    padTokenId,
    positionOffset,
    ...(config.dequantized_from && { dequantizedFrom: config.dequantized_from }),
  };
}

function findModelType(raw: Partial<HuggingFaceConfig>, where: string): ModelType {
  const stated = raw.model_type;
  if (typeof stated === 'string' && Object.hasOwn(ARCHITECTURES, stated)) return stated as ModelType;
  const className = Array.isArray(raw.architectures) ? raw.architectures[0] : undefined;
  if (stated === undefined && typeof className === 'string') {
    const found = CLASS_PREFIXES.find(([prefix]) => className.startsWith(prefix));
    if (found) return found[1];
  }
  const supported = Object.keys(ARCHITECTURES).join(', ');
  const got = stated ?? className;
  throw new NearmissError(
    `${where}: field "model_type": expected one of ${supported}, got ${got === undefined ? 'nothing' : `"${got}"`}`,
    {
      hint:
        got === undefined
          ? 'add "model_type": "bert" (or "roberta") if that is what the model is'
          : 'choose a model of a supported architecture',
    },
  );
}

function checkSupported(config: HuggingFaceConfig, where: string): void {
  const refuse = (field: string, expected: string, got: unknown): NearmissError =>
    new NearmissError(`${where}: field "${field}": expected ${expected}, got ${JSON.stringify(got)}`, {
      hint: 'nearmiss supports encoders with absolute positions and the exact GELU; choose such a model',
    });
  if (config.hidden_act !== 'gelu') throw refuse('hidden_act', '"gelu"', config.hidden_act);
  const positions = config.position_embedding_type ?? 'absolute';
  if (positions !== 'absolute') throw refuse('position_embedding_type', '"absolute"', positions);
  if (config.is_decoder) throw refuse('is_decoder', 'false', true);
  if (config.hidden_size % config.num_attention_heads !== 0) {
    throw new NearmissError(
      `${where}: field "hidden_size": expected a multiple of num_attention_heads (${config.num_attention_heads}), got ${config.hidden_size}`,
      { hint: 'correct config.json' },
    );
  }
}

const CLASS_NAMES: Record<ModelType, string> = {
  bert: 'BertModel',
  roberta: 'RobertaModel',
  'xlm-roberta': 'XLMRobertaModel',
  camembert: 'CamembertModel',
};

/** The content of a `config.json` that Transformers and Transformers.js load. */
export function toHuggingFaceConfig(config: EncoderConfig): Record<string, unknown> {
  const modelType = config.modelType ?? config.architecture;
  return {
    architectures: [CLASS_NAMES[modelType]],
    attention_probs_dropout_prob: config.attentionDropout,
    hidden_act: config.hiddenAct,
    hidden_dropout_prob: config.hiddenDropout,
    hidden_size: config.hiddenSize,
    initializer_range: 0.02,
    intermediate_size: config.intermediateSize,
    layer_norm_eps: config.layerNormEps,
    max_position_embeddings: config.maxPositions,
    model_type: modelType,
    num_attention_heads: config.heads,
    num_hidden_layers: config.layers,
    pad_token_id: config.padTokenId,
    position_embedding_type: 'absolute',
    torch_dtype: 'float32',
    type_vocab_size: config.typeVocabularySize,
    vocab_size: config.vocabularySize,
    ...(config.dequantizedFrom && { dequantized_from: config.dequantizedFrom }),
  };
}
