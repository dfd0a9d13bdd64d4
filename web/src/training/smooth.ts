import type { Series } from './runs-api.js';

/**
 * The exponential moving average that TensorBoard draws, without its pull towards 0 at the start. It begins anew at
 * each of `restarts`: losses of two stages are on different scales.
 */
export function smooth({ x, y }: Series, weight: number, restarts: readonly number[] = []): number[] {
  const pending = [...restarts].sort((a, b) => a - b);
  let sum = 0;
  let weights = 0;
  return y.map((value, i) => {
    while (pending.length > 0 && x[i] >= pending[0]) {
      pending.shift();
      sum = 0;
      weights = 0;
    }
    sum = weight * sum + (1 - weight) * value;
    weights = weight * weights + (1 - weight);
    return sum / weights;
  });
}
