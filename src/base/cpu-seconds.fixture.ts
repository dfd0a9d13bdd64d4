/** How often is looked: what else this process does (collecting garbage, compiling) falls into some of the looks only. */
const LOOKS = 3;

/**
 * What work takes of the processor, the least of some looks. What other programs do meanwhile does not count, so that ratios of
 * such times are the same on a busy machine.
 */
export async function cpuSeconds(work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < LOOKS; look++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1e6);
  }
  return least;
}
