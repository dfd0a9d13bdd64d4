const DIGITS = 6;

/** Rounds every fraction inside to what a screen can show: a curve takes half the bytes. */
export function roundSeries<T>(value: T): T {
  if (Number.isInteger(value)) return value;
  if (typeof value === 'number') return Number(value.toPrecision(DIGITS)) as T;
  if (Array.isArray(value)) return value.map(roundSeries) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, roundSeries(part)])) as T;
}
