import { expect, test } from 'vitest';
import type { DevOutcome } from './measure-run.js';
import { adviceText, systemsTable } from './outcome-text.js';
import { recommend, verdictOf } from './recommend.js';
import type { SystemName, SystemRow } from './system.js';

const rowsOf = (values: Partial<Record<SystemName, number>>): SystemRow[] =>
  Object.entries(values).map(([system, value]) => ({
    system: system as SystemName,
    measures: { 'RR@10': value },
    ...(system !== 'start' && { pValueAgainstStart: 0.2 }),
  }));

const OUTCOME: DevOutcome = {
  split: 'dev',
  queries: 160,
  measure: 'RR@10',
  rows: rowsOf({ start: 0.5, bm25: 0.4, hybrid: 0.5, trained: 0.51 }),
  best: 'start',
  serves: 'start',
  verdict: 'level',
  labels: 640,
  hybrid: { weights: [1, 0.1], recommended: false },
};

test('what is said of a training that brought nothing is true of its figures', () => {
  const reasons = (outcome: Partial<DevOutcome>): string => adviceText({ ...OUTCOME, ...outcome }, 'runs/a');
  expect(reasons({})).toMatch(/^Use the model as published: runs\/a\/best is that model/);
  expect(reasons({})).toContain('brought nothing that could not be chance (RR@10 0.5100');
  expect(reasons({})).not.toMatch(/few|good at this already|learningRate/);
  expect(reasons({ labels: 30 })).toContain('few labels (30 queries to learn from)');
  expect(reasons({ queries: 20 })).toContain('20 dev queries are few');
  expect(reasons({ verdict: 'worse' })).toContain('--set optimizer.learningRate=1e-5');
  expect(reasons({ rows: rowsOf({ start: 0.95, bm25: 0.4, trained: 0.94 }) })).toContain(
    'good at this already',
  );
  const wrong = reasons({ rows: rowsOf({ start: 0.01, bm25: 0.02, trained: 0.01 }) });
  expect(wrong).toContain('labels that are wrong: neither the model nor words find what they say');
  expect(wrong).not.toContain('good at this already');
});

test('what only made queries have judged is searched by words and vectors, and why is told', () => {
  const { hybrid: _, ...unjudged } = { ...OUTCOME, split: 'made', best: 'hybrid' as const };
  const outcome = { ...unjudged, rows: rowsOf({ start: 0.05, trained: 0.04 }) };
  const text = adviceText(outcome, 'runs/a');
  expect(text).toMatch(
    /^Use the hybrid: nearmiss search runs\/a and serve ask BM25 and the model as published together by default; --mode dense/,
  );
  expect(text).toContain("Nobody's questions have judged that");
  expect(text).not.toMatch(/better than either|nor words find/);
  expect(adviceText({ ...outcome, serves: 'trained' }, 'runs/a')).toContain('BM25 and the trained model');
  const part = { ...outcome, published: { model: 'minilm', data: 'data/mine' } };
  expect(adviceText(part, 'runs/a')).toContain('BM25 and what the run began with together');
  expect(adviceText({ ...part, best: 'start' }, 'runs/a')).toMatch(
    /^Use the model as published: .*--model minilm/,
  );
  expect(systemsTable(outcome)).not.toContain('use this');
  // There are no labels that could be wrong, and chance is what was asked for.
  expect(text).not.toMatch(/labels that|few labels/);
  expect(text).toContain('queries that were made of the documents: a model that knows their language');
  expect(adviceText({ ...outcome, chance: 0.01 }, 'runs/a')).toContain('p < 0.01 was asked for');
});

test('a model that the queries of its own generator prefer is said to be overrated by them', () => {
  const { hybrid: _, ...unjudged } = { ...OUTCOME, split: 'generated', best: 'hybrid' as const };
  const outcome = { ...unjudged, rows: rowsOf({ start: 0.4, trained: 0.6 }), serves: 'trained' as const };
  expect(adviceText(outcome, 'runs/a')).toContain(
    'queries of the generator that it learned from, which overrate it',
  );
  expect(adviceText({ ...outcome, serves: 'start' }, 'runs/a')).not.toContain('overrate it');
  expect(adviceText({ ...outcome, split: 'dev' }, 'runs/a')).not.toContain('overrate it');
});

test('a lead counts by the chance that was asked for, as for which model is kept', () => {
  const start = Float64Array.from({ length: 40 }, (_, i) => (i % 5) / 5);
  const trained = start.map((value, i) => value + (i % 4 === 0 ? 0.1 : -0.02));
  expect(verdictOf({ start, trained })).toBe('level');
  const lead = start.map((value, i) => value + (i % 4 === 0 ? 0.1 : -0.015));
  expect(verdictOf({ start, trained: lead }, undefined, 0.2)).toBe('better');
  expect(verdictOf({ start, trained: lead }, undefined, 0.0001)).toBe('level');
});

test('a model that gains on labelled documents alone is named so, with the figures of both parts', () => {
  const start = Float64Array.from({ length: 60 }, (_, i) => 0.4 + (i % 4) / 20);
  const trained = start.map((value, i) => value + (i < 20 ? -0.1 : 0.3) + (i % 3) / 50);
  const without = Array.from({ length: 20 }, (_, i) => i);
  expect(verdictOf({ start, trained }, without)).toBe('narrow');
  expect(verdictOf({ start, trained })).toBe('better');
  const outcome: DevOutcome = {
    ...OUTCOME,
    verdict: 'narrow',
    parts: [
      { documents: 'with labels', queries: 40, rows: rowsOf({ start: 0.5, trained: 0.8 }) },
      { documents: 'without labels', queries: 20, rows: rowsOf({ start: 0.48, trained: 0.38 }) },
    ],
  };
  const text = adviceText(outcome, 'runs/a');
  expect(text).toContain(
    'lost where they have none (RR@10 0.3800, the start 0.4800, on 20 queries), so the model as published stays',
  );
  expect(text).not.toContain('Likely reasons');
  expect(adviceText({ ...outcome, serves: 'trained', best: 'trained' }, 'runs/a')).toContain(
    'yet it is served',
  );
  const table = systemsTable(outcome);
  expect(table).toMatch(/RR@10, documents +queries +start +trained\n/);
  expect(table).toMatch(/without labels +20 +0\.4800 +0\.3800\n/);
  expect(systemsTable(OUTCOME)).not.toContain('labels');
});

const PUBLISHED = { model: 'minilm', data: 'data/mine' };

test('a part of a model that is behind the whole is not recommended beside words that say so', () => {
  const whole = Float64Array.from({ length: 60 }, (_, i) => 0.7 + (i % 4) / 20);
  const values = { start: whole, trained: whole.map((value, i) => value - 0.2 - (i % 3) / 50) };
  expect(recommend(values, 'trained')).toBe('trained');
  expect(recommend(values, 'trained', { beganWithPart: true })).toBe('start');
  const level = { ...values, trained: whole.map((value, i) => value + (i % 2 ? 0.01 : -0.01)) };
  expect(recommend(level, 'trained', { beganWithPart: true })).toBe('trained');

  const rows = rowsOf({ start: 0.77, bm25: 0.4, trained: 0.55 });
  const worse: DevOutcome = { ...OUTCOME, rows, verdict: 'worse', serves: 'trained', published: PUBLISHED };
  const text = adviceText(worse, 'runs/a');
  expect(text).toMatch(
    /^Use the model as published: nearmiss search data\/mine --model minilm\. .* runs\/a\/best is that part, trained\.\n/,
  );
  expect(text).toContain('What was trained finds less than the whole model as published (RR@10 0.5500');
  expect(text).toMatch(/Likely reasons:\n {2}- a part of the model: .*model\.layers/);
  expect(text).not.toContain('made the model worse');
  // Nothing was clearly better than the part that the run began with, which is not what was published either.
  expect(adviceText({ ...worse, serves: 'start' }, 'runs/a')).toContain(
    'runs/a/best is that part untrained.',
  );
  const same = adviceText({ ...worse, verdict: 'level', best: 'trained' }, 'runs/a');
  expect(same).toMatch(/^Use the trained model/);
  expect(same).toContain('not better than the whole model as published by more than chance');
});
