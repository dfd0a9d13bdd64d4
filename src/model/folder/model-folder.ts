import { join } from 'node:path';
import { exists } from '../../base/files.js';
import { type EncoderConfig, maxInputLength, readEncoderConfig } from '../encoder/config.js';
import type { HeadDescription } from '../encoder/head.js';
import { readPlainHead } from '../encoder/plain-head.js';
import { readModules } from './modules-json.js';
import { readModuleHead, readTextSettings, type TextSettings } from './sentence-transformers.js';
import { openWeights, type Weights } from './weights.js';

/** A model folder opened for reading: everything but the weights is in memory. */
export interface ModelFolder extends TextSettings {
  folder: string;
  config: EncoderConfig;
  head: HeadDescription;
  /** The encoder's weights; close them when done. */
  weights: Weights;
  /** Longest input in tokens: what the model was trained for, at most what its positions allow. */
  maxSequenceLength: number;
  /** Where `tokenizer.json` and its companions are. */
  tokenizerFolder: string;
}

/**
 * Opens a folder saved by Transformers, sentence-transformers or nearmiss, or an ANCE checkpoint.
 *
 * @example
 * const model = await openModelFolder('models/all-MiniLM-L6-v2');
 * console.log(model.config.layers, model.head.pooling, model.maxSequenceLength);
 * await model.weights.close();
 */
export async function openModelFolder(folder: string): Promise<ModelFolder> {
  const modules = await readModules(folder);
  const root = join(folder, modules?.Transformer ?? '');
  const config = await readEncoderConfig(join(root, 'config.json'));
  const settings = await readTextSettings(folder, modules?.Transformer);
  const weights = await openWeights(root);
  try {
    const head = modules
      ? await readModuleHead(folder, modules, config.hiddenSize)
      : await readPlainHead(folder, weights, config.hiddenSize);
    const limit = maxInputLength(config);
    return {
      ...settings,
      folder,
      config,
      head,
      weights,
      maxSequenceLength: Math.min(settings.maxSequenceLength ?? limit, limit),
      // Old sentence-transformers kept the tokenizer beside the weights, others keep it at the top.
      tokenizerFolder: (await exists(join(root, 'tokenizer.json'))) ? root : folder,
    };
  } catch (error) {
    await weights.close();
    throw error;
  }
}
