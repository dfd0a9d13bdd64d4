import { loadCrossEncoder } from '../cross-encoder/cross-encoder-model.js';
import { isCrossEncoder } from '../cross-encoder/cross-encoder-names.js';
import type { TextReader } from '../encoder/encoder-model.js';
import { loadSide } from './tower-folders.js';

/** How the model in a folder reads texts, whatever kind it is. */
export async function loadTextReader(folder: string): Promise<TextReader> {
  if (!(await isCrossEncoder(folder))) return loadSide(folder, 'documents');
  // Texts are read as they are: a cross-encoder has no prompts.
  return { tokenizer: (await loadCrossEncoder(folder)).tokenizer, prompts: {}, lowercase: false };
}
