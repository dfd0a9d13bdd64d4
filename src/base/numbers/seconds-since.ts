/** Seconds since a moment that `performance.now()` gave. */
export function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}

/** Seconds that some work takes. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return secondsSince(started);
}
