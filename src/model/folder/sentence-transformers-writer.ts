import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { writeJsonFile } from '../../base/json-file.js';
import {
  type DenseLayer,
  HEAD_LAYER_NORM_EPS,
  type HeadDescription,
  type LayerNormLayer,
} from '../encoder/head.js';
import type { Pooling } from '../representation/kinds.js';
import { writeSafetensors } from '../tensors/safetensors.js';
import { legacyModuleType, type ModuleKind } from './modules-json.js';
import type { TextSettings } from './sentence-transformers.js';
import { OWN_POOLING } from './sentence-transformers.js';

/** How a model reads texts, as its files say it. */
export type TextFiles = Partial<TextSettings>;

export interface SentenceTransformersFiles extends TextFiles {
  head: HeadDescription;
  hiddenSize: number;
}

/**
 * Writes `modules.json` and what it names, beside an encoder's `config.json` and `model.safetensors`. Names and
 * keys are the old ones, which old and new versions of sentence-transformers both load.
 */
export async function writeSentenceTransformersFiles(
  folder: string,
  { head, hiddenSize, maxSequenceLength, lowercase = false, prompts = {} }: SentenceTransformersFiles,
): Promise<void> {
  const { dense, layerNorm } = head;
  const kinds: ModuleKind[] = ['Transformer', 'Pooling'];
  if (dense) kinds.push('Dense');
  if (layerNorm) kinds.push('LayerNorm');
  if (head.normalize) kinds.push('Normalize');
  const folderOf = (kind: ModuleKind): string => `${kinds.indexOf(kind)}_${kind}`;

  const modules = kinds.map((kind, idx) => ({
    idx,
    name: String(idx),
    path: kind === 'Transformer' ? '' : folderOf(kind),
    type: legacyModuleType(kind),
  }));
  await writeJsonFile(join(folder, 'modules.json'), modules);
  await writeJsonFile(join(folder, 'config_sentence_transformers.json'), {
    model_type: 'SentenceTransformer',
    prompts,
    default_prompt_name: null,
    similarity_fn_name: head.similarity,
  });
  await writeJsonFile(join(folder, 'sentence_bert_config.json'), {
    max_seq_length: maxSequenceLength ?? null,
    do_lower_case: lowercase,
  });
  await writePooling(join(folder, folderOf('Pooling')), head, hiddenSize);
  if (dense) await writeDense(join(folder, folderOf('Dense')), dense);
  if (layerNorm) await writeLayerNorm(join(folder, folderOf('LayerNorm')), layerNorm);
}

async function writePooling(
  folder: string,
  { pooling, poolingOptions }: Pooling,
  size: number,
): Promise<void> {
  await writeModule(folder, {
    word_embedding_dimension: size,
    pooling_mode_cls_token: pooling === 'first',
    pooling_mode_mean_tokens: pooling === 'mean',
    pooling_mode_max_tokens: false,
    pooling_mode_mean_sqrt_len_tokens: false,
    // What sentence-transformers has no name for.
    ...(!['first', 'mean'].includes(pooling) && { [OWN_POOLING]: { name: pooling, ...poolingOptions } }),
  });
}

export async function writeDense(folder: string, dense: DenseLayer): Promise<void> {
  await writeModule(folder, {
    in_features: dense.in,
    out_features: dense.out,
    bias: dense.bias !== undefined,
    // Without it, sentence-transformers would apply a tanh.
    activation_function: 'torch.nn.modules.linear.Identity',
  });
  await writeSafetensors(join(folder, 'model.safetensors'), [
    { name: 'linear.weight', shape: [dense.out, dense.in], data: dense.weight },
    ...(dense.bias ? [{ name: 'linear.bias', shape: [dense.out], data: dense.bias }] : []),
  ]);
}

async function writeLayerNorm(folder: string, { size, weight, bias, eps }: LayerNormLayer): Promise<void> {
  if (eps !== HEAD_LAYER_NORM_EPS) {
    throw new NearmissError(`${folder}: LayerNorm eps: expected ${HEAD_LAYER_NORM_EPS}, got ${eps}`, {
      hint: 'sentence-transformers has no place for another eps; train with the default',
    });
  }
  await writeModule(folder, { dimension: size });
  await writeSafetensors(join(folder, 'model.safetensors'), [
    { name: 'norm.weight', shape: [size], data: weight },
    { name: 'norm.bias', shape: [size], data: bias },
  ]);
}

async function writeModule(folder: string, config: object): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeJsonFile(join(folder, 'config.json'), config);
}
