import { fillNormal, type ParameterStore, randomKey } from '../../engine/index.js';

/** Weights as BERT initialises them: N(0, .02²), LayerNorm at the identity, biases at 0. */
export function initialize(parameters: ParameterStore, name: string, seed: number): void {
  const data = parameters.get(name);
  if (name.endsWith('.bias')) data.fill(0);
  else if (/norm/i.test(name)) data.fill(1);
  else fillNormal(data, 0.02, randomKey(seed, 'initialize', name));
}
