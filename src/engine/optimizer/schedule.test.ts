import { describe, expect, test } from 'vitest';
import { type ScheduleOptions, scheduleFactor } from './schedule.js';

const factors = (steps: number[], options: ScheduleOptions): number[] =>
  steps.map((step) => scheduleFactor(step, options));

describe('scheduleFactor', () => {
  test('rises through the warm-up, the first step included, to exactly 1', () => {
    expect(factors([0, 1, 2, 3, 4], { warmupSteps: 3 })).toEqual([0.25, 0.5, 0.75, 1, 1]);
  });

  test('falls linearly to 0 at the last step and stays there', () => {
    expect(factors([2, 4, 6, 10, 99], { warmupSteps: 2, totalSteps: 10 })).toEqual([1, 0.75, 0.5, 0, 0]);
  });

  test('falls along half a cosine', () => {
    const options: ScheduleOptions = { totalSteps: 8, decay: 'cosine' };
    expect(scheduleFactor(0, options)).toBe(1);
    expect(scheduleFactor(2, options)).toBeCloseTo((1 + Math.SQRT1_2) / 2, 12);
    expect(scheduleFactor(4, options)).toBeCloseTo(0.5, 12);
    expect(scheduleFactor(8, options)).toBeCloseTo(0, 12);
  });

  test('stays at 1 without an end, or when told not to decay', () => {
    expect(factors([0, 1000], {})).toEqual([1, 1]);
    expect(factors([0, 1000], { totalSteps: 10, decay: 'none' })).toEqual([1, 1]);
  });

  test('a warm-up as long as the run is no division by zero', () => {
    expect(factors([4, 5, 6], { warmupSteps: 5, totalSteps: 5 })).toEqual([5 / 6, 1, 0]);
  });
});
