/** `1 h 12 min`, `3 min 20 s`, `45 s`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  if (minutes >= 10) return `${minutes} min`;
  return minutes > 0 ? `${minutes} min ${rest} s` : `${rest} s`;
}

export function formatSeconds(seconds: number): string {
  return `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(1)} s`;
}

export function formatMeasure(value: number): string {
  return value.toFixed(3);
}

export function formatShare(share: number): string {
  return `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
}

export function formatCount(value: number): string {
  return value.toLocaleString('en');
}

/** `3 min ago`; nothing finer than seconds, nothing coarser than days. */
export function formatAgo(time: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000);
  return seconds < 5 ? 'just now' : `${formatDuration(seconds)} ago`;
}

/** A setting as the recipe would have it. */
export function formatValue(value: unknown): string {
  return value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
}
