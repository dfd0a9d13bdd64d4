/** One bar of a histogram: values from `from` up to but not including `to`. */
export interface Bar {
  from: number;
  to: number;
  count: number;
}

/** Figures of many small whole numbers. */
export interface DistributionSummary {
  count: number;
  mean: number;
  min: number;
  median: number;
  p90: number;
  p99: number;
  max: number;
  bars: Bar[];
}

/** Gathers whole numbers by value, so that quantiles are exact and memory depends only on how many differ. */
export class Distribution {
  readonly #counts = new Map<number, number>();

  add(value: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }

  summary(): DistributionSummary {
    const values = [...this.#counts].sort(([a], [b]) => a - b);
    const count = values.reduce((sum, [, times]) => sum + times, 0);
    const total = values.reduce((sum, [value, times]) => sum + value * times, 0);
    const quantile = (share: number): number => {
      let seen = 0;
      for (const [value, times] of values) {
        seen += times;
        if (seen >= share * count) return value;
      }
      return 0;
    };
    return {
      count,
      mean: count === 0 ? 0 : total / count,
      min: values[0]?.[0] ?? 0,
      median: quantile(0.5),
      p90: quantile(0.9),
      p99: quantile(0.99),
      max: values.at(-1)?.[0] ?? 0,
      bars: toBars(values),
    };
  }
}

/** Bars whose borders double: 0, 1, 2–3, 4–7, 8–15, …, from the first to the last that is not empty. */
function toBars(values: [value: number, times: number][]): Bar[] {
  const bars: Bar[] = [];
  for (const [value, times] of values) {
    const power = value === 0 ? 0 : 2 ** Math.floor(Math.log2(value));
    let last = bars.at(-1);
    while (last && last.to <= power) {
      bars.push({ from: last.to, to: last.to * 2, count: 0 });
      last = bars.at(-1);
    }
    if (!last) bars.push({ from: power, to: power === 0 ? 1 : power * 2, count: 0 });
    bars.at(-1)!.count += times;
  }
  return bars;
}
