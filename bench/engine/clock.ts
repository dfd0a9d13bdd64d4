/** Seconds that pass, or seconds that this process computes: the latter is the fairer on a machine that others use. */
export type Clock = 'wall' | 'cpu';

/** Runs `work` and says how long it took. */
export async function secondsOf(clock: Clock, work: () => Promise<unknown>): Promise<number> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  if (clock === 'wall') return (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1e6;
}

/**
 * Times several works in turn, `rounds` times after a first round that does not count, and gives the median of
 * each: whatever slows the machine down for a while slows all of them.
 */
export async function alternate<Name extends string>(
  works: Record<Name, () => Promise<unknown>>,
  options: { clock: Clock; rounds: number },
): Promise<Record<Name, number>> {
  const names = Object.keys(works) as Name[];
  const seconds = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -1; round < options.rounds; round++) {
    for (const name of names) {
      const taken = await secondsOf(options.clock, works[name]);
      if (round >= 0) seconds[name].push(taken);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(seconds[name])])) as Record<Name, number>;
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
