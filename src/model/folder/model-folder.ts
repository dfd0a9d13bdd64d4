import { dirname, join } from 'node:path';
import { exists } from '../../base/files.js';
import { type EncoderConfig, maxInputLength, readEncoderConfig } from '../encoder/config.js';
import type { HeadDescription } from '../encoder/head.js';
import { readPlainHead } from '../encoder/plain-head.js';
import { openModelWeights } from './model-weights.js';
import { readModules } from './modules-json.js';
import { readModuleHead, readTextSettings, type TextSettings } from './sentence-transformers.js';
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
  const weights = await openModelWeights(root, { layers: config.layers, exported });
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
