import { expect, test } from 'vitest';
import { costText } from './study-command.js';

const COST = { trainings: 27, steps: 8100, seconds: 7200, resultBytes: 8e9, workBytes: 6e8 };

test('says what an experiment will take, and warns where the disk has no room for it', () => {
  const text = costText(COST, 2, 20e9);
  expect(text).toMatch(/^27 trainings of 8,100 steps in all: roughly .* with 2 threads, .* more meanwhile;/);
  expect(text).not.toContain('free');
  expect(costText(COST, 2, undefined)).toBe(text);
  // Room for what is left in the end is not enough.
  expect(costText(COST, 2, 8.1e9)).toMatch(/only .* of disk are free: name another with --out$/);
});
