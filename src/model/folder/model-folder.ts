import { dirname, join } from 'node:path';
import { exists, writeDirectoryAtomic, writeFileAtomic } from '../../base/files.js';
import type { FolderContents } from '../../base/folder-contents.js';
import { writeJsonFile } from '../../base/json-file.js';
import {
  type EncoderConfig,
  maxInputLength,
  readEncoderConfig,
  toHuggingFaceConfig,
} from '../encoder/config.js';
import type { HeadDescription } from '../encoder/head.js';
import { readPlainHead } from '../encoder/plain-head.js';
import type { StorageType } from '../tensors/float-storage.js';
import { writeSafetensors } from '../tensors/safetensors.js';
import type { NamedTensor } from '../tensors/tensor.js';
import type { ModelCard } from './model-card.js';
import { openModelWeights } from './model-weights.js';
import { readModules } from './modules-json.js';
import { readModuleHead, readTextSettings, type TextSettings } from './sentence-transformers.js';
import { writeSentenceTransformersFiles } from './sentence-transformers-writer.js';
import { copyTokenizer, TOKENIZER_FILES } from './tokenizer-files.js';
import type { Weights } from './weights.js';

/** A model folder opened for reading: everything but the weights is in memory. */
export interface ModelFolder extends TextSettings {
  folder: string;
  config: EncoderConfig;
  head: HeadDescription;
  /** Nothing told how the model pools, so the head's pooling is a guess. */
  guessedPooling: boolean;
  /** The encoder's weights; close them when done. */
  weights: Weights;
  /** Longest input in tokens: what the model was trained for, at most what its positions allow. */
  maxSequenceLength: number;
  /** Where `tokenizer.json` and its companions are. */
  tokenizerFolder: string;
}

/**
 * Opens a folder saved by Transformers, sentence-transformers or nearmiss, an ANCE checkpoint, or a folder whose weights
 * are only there as an ONNX export.
 *
 * @param exported the export to take the weights from, whatever else is in the folder
 *
 * @example
 * const model = await openModelFolder('models/all-MiniLM-L6-v2');
 * console.log(model.config.layers, model.head.pooling, model.maxSequenceLength);
 * await model.weights.close();
 */
export async function openModelFolder(folder: string, exported?: string): Promise<ModelFolder> {
  const modules = await readModules(folder);
  const root = join(folder, modules?.Transformer ?? '');
  const config = await readEncoderConfig(join(root, 'config.json'));
  const settings = await readTextSettings(folder, modules?.Transformer);
  const weights = await openModelWeights(root, { config, exported });
  try {
    const { head, guessedPooling } = modules
      ? { head: await readModuleHead(folder, modules, config.hiddenSize), guessedPooling: false }
      : await readPlainHead(folder, weights, config.hiddenSize);
    const limit = maxInputLength(config);
    return {
      ...settings,
      folder,
      config,
      head,
      guessedPooling,
      weights,
      maxSequenceLength: Math.min(settings.maxSequenceLength ?? limit, limit),
      tokenizerFolder: await findTokenizer([root, ...(exported ? [dirname(exported)] : [])], folder),
    };
  } catch (error) {
    await weights.close();
    throw error;
  }
}

/** Old sentence-transformers kept the tokenizer beside the weights, others keep it at the top. */
async function findTokenizer(folders: readonly string[], otherwise: string): Promise<string> {
  for (const folder of folders) if (await exists(join(folder, 'tokenizer.json'))) return folder;
  return otherwise;
}

const MODEL_FILES = [
  ...['config', 'modules', 'config_sentence_transformers', 'sentence_bert_config'].map(
    (name) => `${name}.json`,
  ),
  ...['model.safetensors', 'onnx/model.onnx', 'README.md', ...TOKENIZER_FILES],
];

/** A model as it is written here. */
export const MODEL_FOLDER: FolderContents = {
  what: 'a model that nearmiss wrote',
  files: new RegExp(`^(${MODEL_FILES.join('|')}|\\d_[A-Za-z]+/(config\\.json|model\\.safetensors))$`),
};

/** A model to be written. */
export interface ModelContent extends Partial<TextSettings> {
  config: EncoderConfig;
  /** The encoder's tensors under their Hugging Face names, without the head's. */
  tensors: readonly NamedTensor[];
  head: HeadDescription;
  /** A folder whose tokenizer is copied. */
  tokenizerFolder?: string;
  /** For README.md. */
  card?: ModelCard;
  /** How to store the encoder's weights; `f32` unless told. */
  dtype?: StorageType;
}

/**
 * Writes a folder that nearmiss, sentence-transformers, Transformers and, once an ONNX export is beside it,
 * Transformers.js load. It appears complete or not at all.
 */
export async function writeModelFolder(
  path: string,
  model: ModelContent,
  options: { overwrite?: boolean } = {},
): Promise<void> {
  await writeDirectoryAtomic(path, (temporary) => fillModelFolder(temporary, model), {
    replaces: options.overwrite ? MODEL_FOLDER : undefined,
  });
}

/** Writes a model's files into a folder that the caller makes appear, e.g. with more files beside them. */
export async function fillModelFolder(folder: string, model: ModelContent): Promise<void> {
  const { config, tensors, head, tokenizerFolder, card, dtype, ...settings } = model;
  await writeJsonFile(join(folder, 'config.json'), {
    ...toHuggingFaceConfig(config),
    torch_dtype: dtype === 'f16' ? 'float16' : 'float32',
  });
  await writeSafetensors(join(folder, 'model.safetensors'), tensors, { dtype });
  await writeSentenceTransformersFiles(folder, { ...settings, head, hiddenSize: config.hiddenSize });
  if (tokenizerFolder !== undefined) {
    const { maxSequenceLength } = settings;
    await copyTokenizer({ from: tokenizerFolder, to: folder, config, maxSequenceLength });
  }
  if (!card) return;
  // Not loaded with the file: who opens a model to search with it, writes no card.
  const { renderModelCard } = await import('./model-card.js');
  await writeFileAtomic(join(folder, 'README.md'), renderModelCard(card));
}
