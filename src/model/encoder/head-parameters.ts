import type { ParameterStore } from '../../engine/index.js';
import { MLM_HEAD } from '../mlm/mlm-head.js';

/** Whether a parameter is of what is put on an encoder, and not of the encoder. */
export function isHeadName(name: string): boolean {
  return name.startsWith('head.') || name.startsWith(`${MLM_HEAD}.`);
}

/** The part of a model that guesses words, as a copy. */
export function mlmPart(parameters: ParameterStore): ParameterStore {
  const part = parameters.zerosLike((name) => name.startsWith(`${MLM_HEAD}.`));
  for (const name of part.names) part.get(name).set(parameters.get(name));
  return part;
}
