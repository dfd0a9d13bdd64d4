import { join } from 'node:path';
import type { EmbedderInfo } from '../embedder.js';

/** Of a hash in a folder's name. */
export const HASH_DIGITS = 12;

/**
 * Where a cache keeps the vectors that a model makes of a state of a collection, whoever made them: a search, or a
 * training that starts from the model.
 */
export function vectorsFolder(
  cache: string,
  { fingerprint, maxLength, precision }: Pick<EmbedderInfo, 'fingerprint' | 'maxLength' | 'precision'>,
  content: string,
): { folder: string; prefix: string } {
  const length = precision === 'fp32' ? maxLength : `${maxLength}${precision}`;
  const prefix = `vectors-${fingerprint.slice(0, HASH_DIGITS)}-${length}-`;
  return { folder: join(cache, `${prefix}${content.slice(0, HASH_DIGITS)}`), prefix };
}
