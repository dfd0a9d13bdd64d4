import type { ParameterStore } from '../../engine/index.js';
import { MLM_HEAD } from './mlm-head.js';

/**
 * Far enough on GELU's straight arm that states of LayerNorm's size pass unchanged; LayerNorm takes the shift off again, as
 * it is the same for all numbers of a row.
 */
export const STRAIGHT = 8;

/**
 * Starts a head whose encoder came without one: the transform is the identity of what LayerNorm keeps of a state, so
 * logits are inner products of states and words.
 */
export function startMlmHead(parameters: ParameterStore, at: string = MLM_HEAD): void {
  const [dense, norm] = [`${at}.transform.dense`, `${at}.transform.LayerNorm`];
  const weight = parameters.get(`${dense}.weight`).fill(0);
  const [size] = parameters.tensor(`${dense}.bias`).shape;
  for (let i = 0; i < size; i++) weight[i * size + i] = 1;
  parameters.get(`${dense}.bias`).fill(STRAIGHT);
  parameters.get(`${norm}.weight`).fill(1);
  parameters.get(`${norm}.bias`).fill(0);
  parameters.get(`${at}.bias`).fill(0);
}
