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

/** Scales gradients down to a global norm of at most `maximum`, given their norm. */
export function clipByGlobalNorm(gradients: ParameterStore, norm: number, maximum: number): void {
  const factor = maximum / (norm + 1e-6);
  if (factor < 1) scale(gradients.buffer, factor);
}

export function scale(data: Float32Array, factor: number): void {
  for (let i = 0; i < data.length; i++) data[i] *= factor;
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
