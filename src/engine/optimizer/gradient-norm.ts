import type { ParameterStore } from '../parameters.js';

/** The Euclidean norm of all numbers of a store, summed in float64. */
export function globalNorm(store: ParameterStore): number {
  return Math.sqrt(sumOfSquares(store.buffer));
}

/** The norm of each group of parameters, e.g. embeddings, bottom, middle, top, head. */
export function groupNorms(store: ParameterStore, groupOf: (name: string) => string): Record<string, number> {
  const squares: Record<string, number> = {};
  for (const { name } of store.specs) {
    const group = groupOf(name);
    squares[group] = (squares[group] ?? 0) + sumOfSquares(store.get(name));
  }
  return Object.fromEntries(Object.entries(squares).map(([group, sum]) => [group, Math.sqrt(sum)]));
}

/** The factor that brings gradients of a global norm down to `maximum`, as PyTorch's `clip_grad_norm_`; 1 if it is less. */
export function clipFactor(norm: number, maximum: number): number {
  return Math.min(1, maximum / (norm + 1e-6));
}

function sumOfSquares(data: Float32Array): number {
  // Four sums run side by side: one would make each addition wait for the last.
  let [a, b, c, d] = [0, 0, 0, 0];
  const end = data.length & ~3;
  for (let i = 0; i < end; i += 4) {
    a += data[i] * data[i];
    b += data[i + 1] * data[i + 1];
    c += data[i + 2] * data[i + 2];
    d += data[i + 3] * data[i + 3];
  }
  for (let i = end; i < data.length; i++) a += data[i] * data[i];
  return a + b + c + d;
}
