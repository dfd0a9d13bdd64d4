import { NearmissError } from '../../base/errors.js';
import type { ParameterStore } from '../../engine/index.js';
import type { EncoderConfig, ModelType } from '../encoder/config.js';
import { toHuggingFaceConfig } from '../encoder/config.js';
import type { Weights } from '../folder/weights.js';
import type { NamedTensor } from '../tensors/tensor.js';
import { MLM_HEAD, mlmHeadParameters } from './mlm-head.js';

/** What Transformers calls a model that guesses hidden words, by the family it is of. */
const CLASS_NAMES: Record<ModelType, string> = {
  bert: 'BertForMaskedLM',
  roberta: 'RobertaForMaskedLM',
  'xlm-roberta': 'XLMRobertaForMaskedLM',
  camembert: 'CamembertForMaskedLM',
};

/** RoBERTa's names of the head's parts. */
const ROBERTA: Record<string, string> = {
  [`${MLM_HEAD}.transform.dense.weight`]: 'lm_head.dense.weight',
  [`${MLM_HEAD}.transform.dense.bias`]: 'lm_head.dense.bias',
  [`${MLM_HEAD}.transform.LayerNorm.weight`]: 'lm_head.layer_norm.weight',
  [`${MLM_HEAD}.transform.LayerNorm.bias`]: 'lm_head.layer_norm.bias',
  [`${MLM_HEAD}.bias`]: 'lm_head.bias',
};

function headName(name: string, { architecture }: Pick<EncoderConfig, 'architecture'>): string {
  return architecture === 'roberta' ? ROBERTA[name] : name;
}

/** The content of a `config.json` that says that the head is there. */
export function mlmConfig(config: EncoderConfig): Record<string, unknown> {
  return {
    ...toHuggingFaceConfig(config),
    architectures: [CLASS_NAMES[config.modelType ?? config.architecture]],
  };
}

/**
 * The tensors of encoder and head under the names of Transformers' `…ForMaskedLM`: those of the encoder get its prefix, and
 * the head's table of words is the encoder's, which Transformers ties by itself.
 */
export function mlmTensors(
  encoder: readonly NamedTensor[],
  head: ParameterStore,
  config: EncoderConfig,
): NamedTensor[] {
  return [
    ...encoder.map((tensor) => ({ ...tensor, name: `${config.architecture}.${tensor.name}` })),
    ...head.specs.map(({ name, shape }) => ({
      name: headName(name, config),
      shape: [...shape],
      data: head.get(name),
    })),
  ];
}

/** Fails where a folder that says it guesses words has not what guesses them. */
export function requireMlmHead(folder: string, weights: Weights, config: EncoderConfig): void {
  const names = mlmHeadParameters(config).map(({ name }) => headName(name, config));
  const missing = names.find((name) => !weights.has(name));
  if (missing === undefined) return;
  throw new NearmissError(
    `${folder}: tensor "${missing}" is missing, expected the head of a model that guesses hidden words`,
    { hint: 'choose a model whose config.json names a …ForMaskedLM' },
  );
}

/** Reads the head of a folder that has one; whether it has. */
export async function readMlmHead(
  weights: Weights,
  head: ParameterStore,
  config: EncoderConfig,
): Promise<boolean> {
  if (!head.names.every((name) => weights.has(headName(name, config)))) return false;
  for (const { name, shape } of head.specs) await weights.read(headName(name, config), shape, head.get(name));
  return true;
}
