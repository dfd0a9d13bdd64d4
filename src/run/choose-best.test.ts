import { expect, test } from 'vitest';
import { losesWithoutLabels, replacesBest } from './choose-best.js';
import type { StepEvaluation } from './step-evaluation.js';

const RULE = { best: 'RR@10', choose: 'significant' } as const;

/** 40 queries that gain .2, of which some by places have other gains; the first 20 ask for documents without labels. */
function evaluationOf(step: number, gains: readonly number[]): StepEvaluation {
  const values = Array.from(
    { length: 40 },
    (_, i) => 0.4 + (i % 5) / 50 + (gains[i] ?? gains[gains.length - 1]),
  );
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const withoutLabels = Array.from({ length: 20 }, (_, i) => i);
  return { step, split: 'dev', queries: 40, measures: { 'RR@10': mean }, values, withoutLabels, seconds: {} };
}

const start = evaluationOf(0, [0]);
const withGain = (without: number, others: number): StepEvaluation =>
  // Not all alike: a difference without any variance would be no test.
  evaluationOf(
    10,
    Array.from({ length: 40 }, (_, i) => (i < 20 ? without : others) + ((i % 3) - 1) / 50),
  );

test.each([
  ['better everywhere', 0.1, 0.1, true],
  ['better where documents have labels, level elsewhere', 0, 0.2, true],
  ['hardly worse elsewhere, which may be chance', -0.002, 0.2, true],
  ['worse elsewhere', -0.1, 0.3, false],
  ['hardly worse elsewhere, but surely', -0.019, 0.2, false],
  ['level', 0, 0, false],
  ['worse', -0.1, -0.1, false],
])('a model takes the place of the start: %s', (_, without, others, expected) => {
  const candidate = withGain(without, others);
  expect(replacesBest(RULE, { candidate, best: start, start })).toBe(expected);
});

test('a recipe that chooses the best asks for no part, and where all documents have labels there is none', () => {
  const candidate = withGain(-0.1, 0.3);
  expect(replacesBest({ ...RULE, choose: 'best' }, { candidate, best: start, start })).toBe(true);
  const all = { ...candidate, withoutLabels: [] };
  expect(replacesBest(RULE, { candidate: all, best: start, start })).toBe(true);
  expect(losesWithoutLabels(candidate.values!, start.values!, candidate.withoutLabels)).toBe(true);
});
