import type { ParameterStore } from '../../engine/index.js';

/** Parts of a layer that begin as 0: every token looks at all alike, and nothing is added behind. */
const ZERO = [
  'attention.self.query.weight',
  'attention.self.query.bias',
  'attention.self.value.bias',
  'attention.output.dense.bias',
  'output.dense.weight',
  'output.dense.bias',
];
/**
 * How much the mean counts beside a token's own state. First tokens' own states are nearly the same in all texts: beside a mean that
 * counts once, a document's first row always fits the first token of a query best, and other rows are never chosen and never learn.
 */
export const MEAN_WEIGHT = 8;
/** Multiples of the identity. */
const DIAGONAL = { 'attention.self.value.weight': 1, 'attention.output.dense.weight': MEAN_WEIGHT };
const NORMS = ['attention.output.LayerNorm', 'output.LayerNorm'];

/**
 * Makes the last layer one that adds the mean of a text's states, times {@link MEAN_WEIGHT}, to each of them, as a layer of Transformers can by itself. A model
 * that was trained to be averaged says next to nothing with its first token's state alone; with this start that state is about the
 * mean, and everything in the layer learns from there.
 */
export function averageInLastLayer(parameters: ParameterStore, layers: number): void {
  const part = (name: string): Float32Array => parameters.get(`encoder.layer.${layers - 1}.${name}`);
  for (const name of ZERO) part(name).fill(0);
  for (const [name, value] of Object.entries(DIAGONAL)) {
    const matrix = part(name);
    const size = Math.sqrt(matrix.length);
    matrix.fill(0);
    for (let i = 0; i < size; i++) matrix[i * size + i] = value;
  }
  for (const name of NORMS) {
    part(`${name}.weight`).fill(1);
    part(`${name}.bias`).fill(0);
  }
}
