/** One place on an axis that is named. */
export interface Tick {
  value: number;
  label: string;
}

/** Maps values to pixels. */
export interface Scale {
  at(value: number): number;
  ticks: Tick[];
}

export type ScaleKind = 'linear' | 'log';

export interface ScaleOptions {
  kind: ScaleKind;
  /** Everything that is to be seen; what a logarithmic axis cannot show is passed over. */
  values: Iterable<number>;
  /** Pixels of the smallest and of the largest value. */
  range: readonly [number, number];
  /** Values that the axis shows in any case, e.g. 0 and 1 for shares. */
  include?: readonly number[];
  /** Ends the axis where the values end, and not at the next tick. */
  tight?: boolean;
}

/** About how many ticks a linear axis has. */
const TICKS = 6;

/** More factors of ten than these leave nothing to see of the rest. */
const MOST_DECADES = 8;

export function makeScale(options: ScaleOptions): Scale {
  const usable = (value: number): boolean =>
    Number.isFinite(value) && (options.kind === 'linear' || value > 0);
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const values of [options.values, options.include ?? []]) {
    for (const value of values) {
      if (!usable(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) [low, high] = options.kind === 'log' ? [1, 10] : [0, 1];
  return options.kind === 'log' ? logScale(low, high, options) : linearScale(low, high, options);
}

function linearScale(low: number, high: number, { range, tight }: ScaleOptions): Scale {
  const size = Math.max(Math.abs(low), Math.abs(high));
  // A spread that is only rounding would have ticks that cannot be told apart.
  const flat = high - low <= size * 1e-9;
  const step = niceStep((flat ? size || 1 : high - low) / TICKS);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  const [from, to] = tight && !flat ? [low, high] : [first * step, last * step];
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => tick((first + i) * step));
  return {
    at: (value) => range[0] + ((value - from) / (to - from)) * (range[1] - range[0]),
    ticks: ticks.filter(({ value }) => value >= from - step * 1e-9 && value <= to + step * 1e-9),
  };
}

function logScale(low: number, high: number, { range, tight }: ScaleOptions): Scale {
  const top = high > low * 1.001 ? high : low * 10;
  const bottom = Math.max(low, top / 10 ** MOST_DECADES);
  const decades = Math.log10(top / bottom);
  const steps = decades <= 2 ? [1, 2, 5] : [1];
  const from = tight ? bottom : widest(bottom, steps, Math.floor);
  const to = tight ? top : widest(top, steps, Math.ceil);
  const every = Math.max(1, Math.ceil(Math.log10(to / from) / 6));
  const ticks: Tick[] = [];
  for (let power = Math.floor(Math.log10(from) + 1e-9); 10 ** power <= to * (1 + 1e-9); power += every) {
    for (const step of steps) {
      const value = step * 10 ** power;
      if (value >= from * (1 - 1e-9) && value <= to * (1 + 1e-9)) ticks.push(tick(value));
    }
  }
  const span = Math.log(to / from);
  return {
    at: (value) =>
      value > 0
        ? range[0] + (Math.log(Math.max(value, from) / from) / span) * (range[1] - range[0])
        : range[0],
    ticks,
  };
}

/** The nearest of `steps` × 10ⁿ at or beyond a value. */
function widest(value: number, steps: readonly number[], toward: (value: number) => number): number {
  const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
  const around = [...steps, 10].map((step) => step * power);
  if (toward === Math.floor) return around.findLast((edge) => edge <= value * (1 + 1e-9)) ?? power;
  return around.find((edge) => edge >= value * (1 - 1e-9)) ?? 10 * power;
}

/** 1, 2 or 5 times a power of ten, at least `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((step) => step * power >= least * 0.999) ?? 10);
}

function tick(value: number): Tick {
  return { value, label: formatTick(value) };
}

/** `0.25`, `40k`, `1.5M`, `1e-7`: as short as it can be told. */
export function formatTick(value: number): string {
  const size = Math.abs(value);
  if (size < 1e-12) return '0';
  if (size >= 1e9 || size < 1e-4) return value.toExponential(0).replace('e+', 'e');
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(4))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(4))}k`;
  return String(Number(value.toPrecision(6)));
}
