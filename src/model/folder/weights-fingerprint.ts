import { createHash } from 'node:crypto';
import type { ParameterStore } from '../../engine/index.js';

/** SHA-256 of a model's weights. */
export function weightsFingerprint(parameters: ParameterStore): string {
  const hash = createHash('sha256');
  for (const name of parameters.names) {
    const { buffer, byteOffset, byteLength } = parameters.get(name);
    hash.update(name).update(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return hash.digest('hex');
}
