import { dirname, join } from 'node:path';
import { exists } from '../../base/files.js';
import { type EncoderConfig, maxInputLength, readEncoderConfig } from '../encoder/config.js';
import type { HeadDescription } from '../encoder/head.js';
import { COLBERT_LINEAR, readColbertHead, readPlainHead } from '../encoder/plain-head.js';
import { requireMlmHead } from '../mlm/mlm-names.js';
import { openModelWeights } from './model-weights.js';
import { type ModuleFolders, readModules } from './modules-json.js';
import {
  readLateHead,
  readModuleHead,
  readTextSettings,
  type TextSettings,
} from './sentence-transformers.js';
import { readSparseHead } from './sparse-encoder.js';
import {
  COLBERT_METADATA,
  readColbertSettings,
  readLateSettings,
  type TokenSettings,
  textLength,
} from './token-settings.js';
import type { Weights } from './weights.js';

/** A model folder opened for reading: everything but the weights is in memory. */
export interface ModelFolder extends TextSettings {
  folder: string;
  config: EncoderConfig;
  head: HeadDescription;
  /** How a model of late interaction that others saved reads its texts; its head's options are made of it. */
  tokenSettings?: TokenSettings;
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
    const { tokenSettings, ...head } = await readHead(folder, { modules, weights, config });
    const limit = maxInputLength(config);
    return {
      ...settings,
      ...head,
      ...(tokenSettings && { tokenSettings, prompts: promptsBeside(tokenSettings, settings.prompts) }),
      folder,
      config,
      weights,
      maxSequenceLength: tokenSettings
        ? textLength(tokenSettings, limit)
        : Math.min(settings.maxSequenceLength ?? limit, limit),
      tokenizerFolder: await findTokenizer([root, ...(exported ? [dirname(exported)] : [])], folder),
    };
  } catch (error) {
    await weights.close();
    throw error;
  }
}

async function readHead(
  folder: string,
  { modules, weights, config }: { modules?: ModuleFolders; weights: Weights; config: EncoderConfig },
): Promise<Pick<ModelFolder, 'head' | 'guessedPooling' | 'tokenSettings'>> {
  const { hiddenSize } = config;
  if (modules && 'projections' in modules) {
    return {
      head: await readLateHead(folder, modules, hiddenSize),
      guessedPooling: false,
      tokenSettings: await readLateSettings(folder, {
        transformer: modules.Transformer,
        mask: modules.MultiVectorMask,
      }),
    };
  }
  if (modules && 'SpladePooling' in modules) {
    requireMlmHead(folder, weights, config);
    return { head: await readSparseHead(folder, modules), guessedPooling: false };
  }
  if (modules) return { head: await readModuleHead(folder, modules, hiddenSize), guessedPooling: false };
  if ((await exists(join(folder, COLBERT_METADATA))) || weights.has(COLBERT_LINEAR)) {
    return {
      head: await readColbertHead(weights, hiddenSize),
      guessedPooling: false,
      tokenSettings: await readColbertSettings(folder),
    };
  }
  return readPlainHead(folder, weights, hiddenSize);
}

/** A marker that is also said as a prompt is put in once. */
function promptsBeside(
  { queryMarker, documentMarker }: TokenSettings,
  prompts: Record<string, string>,
): Record<string, string> {
  const markers = [queryMarker, documentMarker];
  return Object.fromEntries(Object.entries(prompts).filter(([, text]) => !markers.includes(text)));
}

/** Old sentence-transformers kept the tokenizer beside the weights, others keep it at the top. */
async function findTokenizer(folders: readonly string[], otherwise: string): Promise<string> {
  for (const folder of folders) if (await exists(join(folder, 'tokenizer.json'))) return folder;
  return otherwise;
}
