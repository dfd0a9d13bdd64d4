import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDirectoryAtomic, writeFileAtomic } from '../../base/files.js';
import type { FolderContents } from '../../base/folders/folder-contents.js';
import { writeJsonFile } from '../../base/json-file.js';
import type { ParameterStore } from '../../engine/index.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import { writeSafetensors } from '../tensors/safetensors.js';
import type { NamedTensor } from '../tensors/tensor.js';
import type { ModelCard } from './model-card.js';
import { COLBERT_METADATA } from './token-settings.js';
import { TOKENIZER_FILES } from './tokenizer-files.js';

/** What every kind of model has to say for its folder to be written. */
export interface SavedModel {
  /** The content of `config.json`. */
  config: Record<string, unknown>;
  /** The content of `model.safetensors`, under Hugging Face's names. */
  tensors: readonly NamedTensor[];
  tokenizer: Tokenizer;
  /** Tokens kept of an input. */
  maxLength: number;
  /** Renders `README.md`. */
  card(): Promise<string>;
  /** Exports the model for other runtimes, where there is one graph to export. */
  onnx?(): Uint8Array;
  /** Writes files that only this kind of model has. */
  writeMore?(folder: string): Promise<void>;
}

export interface SaveModelOptions {
  /** More for the model card. */
  card?: Partial<ModelCard>;
  /** A head that guesses hidden words, saved with an encoder so that Transformers loads both. */
  mlmHead?: ParameterStore;
  /** Write `onnx/model.onnx` for other runtimes, as large again as the weights. Default true. */
  onnx?: boolean;
}

/** Writes a model's files into a folder that the caller makes appear, e.g. a checkpoint with more beside them. */
export async function fillFolder(
  folder: string,
  model: SavedModel,
  { onnx = true }: Pick<SaveModelOptions, 'onnx'>,
): Promise<void> {
  const { config, tensors, tokenizer, maxLength } = model;
  await writeJsonFile(join(folder, 'config.json'), config);
  await writeSafetensors(join(folder, 'model.safetensors'), tensors);
  await tokenizer.save(folder, { maxLength });
  await model.writeMore?.(folder);
  await writeFileAtomic(join(folder, 'README.md'), await model.card());
  if (!onnx || !model.onnx) return;
  await mkdir(join(folder, 'onnx'));
  await writeFileAtomic(join(folder, 'onnx', 'model.onnx'), model.onnx());
}

/** Checksums of the other files, which a run writes beside its models. */
export const MODEL_MANIFEST = 'manifest.json';

const MODEL_FILES = [
  ...['config', 'modules', 'config_sentence_transformers', 'sentence_bert_config'].map(
    (name) => `${name}.json`,
  ),
  ...[
    'model.safetensors',
    COLBERT_METADATA,
    'onnx/model.onnx',
    'onnx/model_quantized.onnx',
    'README.md',
    MODEL_MANIFEST,
    ...TOKENIZER_FILES,
  ],
];

/** A model as it is written here. */
const MODEL_FOLDER: FolderContents = {
  what: 'a model that nearmiss wrote',
  files: new RegExp(`^(${MODEL_FILES.join('|')}|\\d_[A-Za-z]+/(config\\.json|model\\.safetensors))$`),
};

/** Makes a model's folder appear, complete or not at all. */
export async function saveFolder(
  folder: string,
  fill: (temporary: string) => Promise<void>,
  { overwrite }: { overwrite?: boolean },
): Promise<void> {
  await writeDirectoryAtomic(folder, fill, { replaces: overwrite ? MODEL_FOLDER : undefined });
}
