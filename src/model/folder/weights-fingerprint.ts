import { createHash } from 'node:crypto';
import { bytesOf } from '../../base/numbers/bytes-of.js';
import type { ParameterStore } from '../../engine/index.js';

/** SHA-256 of a model's weights. */
export function weightsFingerprint(parameters: ParameterStore): string {
  const hash = createHash('sha256');
  for (const name of parameters.names) hash.update(name).update(bytesOf(parameters.get(name)));
  return hash.digest('hex');
}
