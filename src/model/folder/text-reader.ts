import { loadCrossEncoder } from '../cross-encoder/cross-encoder-model.js';
import { isCrossEncoder } from '../cross-encoder/cross-encoder-names.js';
import type { TextReader } from '../encoder/encoder-model.js';
import { isSeq2Seq, loadSeq2Seq } from '../seq2seq/seq2seq-model.js';
import { loadSide } from './tower-folders.js';

/** How the model in a folder reads texts, whatever kind it is. */
export async function loadTextReader(folder: string): Promise<TextReader> {
  if (await isSeq2Seq(folder)) return asTheyAre(await loadSeq2Seq(folder));
  if (await isCrossEncoder(folder)) return asTheyAre(await loadCrossEncoder(folder));
  return loadSide(folder, 'documents');
}

/** Models that read pairs have no prompts. */
function asTheyAre({ tokenizer }: Pick<TextReader, 'tokenizer'>): TextReader {
  return { tokenizer, prompts: {}, lowercase: false };
}
