import { mean } from '../base/numbers/mean.js';

/** What is said of many numbers. */
export interface Summary {
  count: number;
  mean: number;
  p10: number;
  p25: number;
  median: number;
  p75: number;
  p90: number;
}

/** A quantile of ascending numbers, interpolated between neighbours; NaN of none. */
export function quantile(ascending: ArrayLike<number>, share: number): number {
  if (ascending.length === 0) return Number.NaN;
  const place = share * (ascending.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, ascending.length - 1);
  return ascending[below] + (place - below) * (ascending[above] - ascending[below]);
}

export function median(values: ArrayLike<number>): number {
  return quantile(Float64Array.from(values).sort(), 0.5);
}

export function summarize(values: ArrayLike<number>): Summary {
  const ascending = Float64Array.from(values).sort();
  return {
    count: ascending.length,
    mean: mean(ascending),
    p10: quantile(ascending, 0.1),
    p25: quantile(ascending, 0.25),
    median: quantile(ascending, 0.5),
    p75: quantile(ascending, 0.75),
    p90: quantile(ascending, 0.9),
  };
}
