/** Seconds since a moment that `performance.now()` gave. */
export function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}
