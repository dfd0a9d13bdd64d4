export interface ScheduleOptions {
  /** Steps over which the factor rises linearly from 0 to 1. */
  warmupSteps?: number;
  /** Steps after which the factor has reached 0; the schedule stays at 1 when left out. */
  totalSteps?: number;
  /** How it falls after the warm-up. Default `linear`. */
  decay?: 'linear' | 'cosine' | 'none';
}

/**
 * The factor by which the peak learning rate is multiplied at `step` (0 for the first): linear warm-up, then
 * linear or cosine decay.
 *
 * @example
 * const rate = 5e-5 * scheduleFactor(step, { warmupSteps: 100, totalSteps: 1000 });
 */
export function scheduleFactor(step: number, options: ScheduleOptions): number {
  const { warmupSteps = 0, totalSteps, decay = 'linear' } = options;
  if (step < warmupSteps) return (step + 1) / (warmupSteps + 1);
  if (totalSteps === undefined || decay === 'none') return 1;
  const share = Math.min(1, (step - warmupSteps) / Math.max(1, totalSteps - warmupSteps));
  return decay === 'linear' ? 1 - share : 0.5 * (1 + Math.cos(Math.PI * share));
}
