import { createHash } from 'node:crypto';
import type { EncoderModel } from '../model/encoder/encoder-model.js';
import { isTwoTowers, loadSide } from '../model/folder/tower-folders.js';
import { weightsFingerprint } from '../model/folder/weights-fingerprint.js';

/**
 * What tells a model from others that make different vectors: the weights of its towers, and how rows are made of them.
 *
 * @param path what the model was loaded from, where the tower of documents may be another
 */
export async function embedderFingerprint(path: string, queries: EncoderModel): Promise<string> {
  const tower = towerFingerprint(queries);
  if (!(await isTwoTowers(path))) return tower;
  const documents = towerFingerprint(await loadSide(path, 'documents'));
  // Two that have learned nothing yet are one.
  return documents === tower ? tower : hashOf([tower, documents]);
}

/**
 * Of a model as most are, whose vectors are the mean of its states at length 1, without prompts, the SHA-256 of its weights
 * alone, under which earlier releases keep vectors.
 */
function towerFingerprint({ parameters, spec, prompts, lowercase }: EncoderModel): string {
  const weights = weightsFingerprint(parameters);
  const { pooling, poolingOptions = {}, normalize } = spec.head;
  const before = Object.entries(prompts).filter(([, prompt]) => prompt !== '');
  if (pooling === 'mean' && normalize && before.length === 0 && !lowercase) return weights;
  return hashOf([weights, pooling, poolingOptions, normalize, before, lowercase]);
}

function hashOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
