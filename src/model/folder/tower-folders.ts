import { join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { isCrossEncoder } from '../cross-encoder/cross-encoder-names.js';
import { type EncoderModel, loadEncoderModel } from '../encoder/encoder-model.js';
import type { Side } from '../side.js';

/** Subfolders of a model with two towers; a shared encoder is the folder itself. */
export const TOWER_FOLDERS = { queries: 'query', documents: 'document' } as const;

/** Whether a folder holds two encoders. */
export async function isTwoTowers(folder: string): Promise<boolean> {
  return exists(join(folder, TOWER_FOLDERS.queries, 'config.json'));
}

/** One side's model from a checkpoint, a best model or any model folder. */
export async function loadSide(folder: string, side: Side): Promise<EncoderModel> {
  if (await isTwoTowers(folder)) {
    return { ...(await loadEncoderModel(join(folder, TOWER_FOLDERS[side]))), side };
  }
  if (!(await isCrossEncoder(folder))) return { ...(await loadEncoderModel(folder)), side };
  throw new NearmissError(`${folder}: a cross-encoder scores pairs of texts and makes no vectors`, {
    hint: 'search with BM25 or a retriever and rerank what it finds: `nearmiss rerank`, `nearmiss search --reranker`',
  });
}
