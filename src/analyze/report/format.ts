/** `.123`, `12.3`, `1,234`: three digits that count. */
export function formatNumber(value: number | undefined | null): string {
  if (value === undefined || value === null || !Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString('en-US');
  if (size > 0 && size < 0.001) return value.toExponential(1);
  return String(Number(value.toPrecision(3)));
}

/** `63 %` */
export function formatPercent(share: number | undefined | null): string {
  if (share === undefined || share === null || !Number.isFinite(share)) return '–';
  const percent = 100 * share;
  return `${percent > 0 && percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** `4.5 ms`, `12 s`, `3 min`. */
export function formatSeconds(seconds: number | undefined): string {
  if (seconds === undefined || !Number.isFinite(seconds)) return '–';
  if (seconds < 0.001) return `${Number((seconds * 1e6).toPrecision(2))} µs`;
  if (seconds < 1) return `${Number((seconds * 1e3).toPrecision(3))} ms`;
  if (seconds < 120) return `${Number(seconds.toPrecision(3))} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
