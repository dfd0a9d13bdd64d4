import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEvent, StepEvent } from '../../run/events.js';
import type { MiningOutcome } from '../../run/mining-outcome.js';
import {
  applyEvent,
  averaged,
  extend,
  type History,
  INITIAL_STATE,
  type TrainingState,
} from '../../run/training-state.js';
import { LiveView } from './live-view.js';
import { renderView, sparkline } from './render-view.js';
import { FakeTerminal } from './terminal.fixture.js';

function step(number: number, more: Partial<StepEvent> = {}): StepEvent {
  return {
    type: 'step',
    step: number,
    totalSteps: 300,
    stage: number < 100 ? 'warmup' : 'ance',
    loss: 4 - number / 100,
    learningRate: 5e-5,
    gradientNorm: 1.0342,
    groupNorms: {},
    tokens: 7000,
    seconds: 2,
    ...(number >= 100 && { negativesVersion: number < 200 ? 100 : 200 }),
    ...more,
  };
}

const EVALUATION: RunEvent = {
  type: 'evaluation',
  step: 100,
  measures: { 'RR@10': 0.87312, 'nDCG@10': 0.8912, 'R@100': 0.98114 },
  best: true,
  seconds: 3,
};
const WORSE: RunEvent = {
  ...EVALUATION,
  step: 200,
  measures: { ...EVALUATION.measures, 'RR@10': 0.8531 },
  best: false,
};
const REFRESH: RunEvent = {
  type: 'refresh',
  step: 200,
  encodeSeconds: 55,
  indexSeconds: 1,
  searchSeconds: 3,
  documents: 17_248,
  queries: 11_578,
  replacedShare: 0.382,
};
const ENCODE: RunEvent = { type: 'encode', step: 200, done: 10_688, total: 17_248 };

/** The state after events of which each takes two seconds. */
function stateAfter(...events: RunEvent[]): TrainingState {
  return events.reduce((state, event, i) => applyEvent(state, event, i * 2000), INITIAL_STATE);
}

test('another run in the same view has a pace and measures of its own; a Trainer that goes on has a new pace', () => {
  const trainer = (step: number): RunEvent => ({ type: 'start', process: 'trainer', step });
  const first = stateAfter(trainer(0), ...steps(5), EVALUATION);
  expect(first.secondsLeft).toBeGreaterThan(0);
  expect(applyEvent(first, trainer(0), 1e9)).toEqual(INITIAL_STATE);
  const goesOn = applyEvent(applyEvent(first, trainer(5), 1e9), step(5), 1e9 + 2000);
  expect(goesOn.bestEvaluation).toEqual(first.bestEvaluation);
  expect(goesOn.secondsLeft).toBeUndefined();
  expect(applyEvent(goesOn, step(6), 1e9 + 4000).secondsLeft).toBe(2 * (300 - 7));
});

const steps = (count: number): RunEvent[] => Array.from({ length: count }, (_, i) => step(i));

describe('renderView', () => {
  test('80 columns', () => {
    expect(renderView(stateAfter(...steps(231), REFRESH, EVALUATION, ENCODE, WORSE), 80)).toEqual([
      'train        ance 231/300  ███████████████████████░░░░░░░  77%  ETA 2 min 18 s',
      'loss         1.7  █████▇▇▇▇▇▇▇▇▇▆▆▆▆▆▆▆▆▅▅▅▅▅▅▅▅▅▄▄▄▄▄▄▄▄▄▃▃▃▃▃▃▃▃▂▂▂▂▂▂▂▂▂▁▁▁▁▁',
      'gradients    norm 1.034, 3,500 tokens/s',
      'negatives    of step 200, 30 steps old, 38% replaced',
      'dev at step  200  RR@10 0.8531 (★ 0.8731 at 100)  nDCG@10 0.8912  R@100 0.9811',
      'inferencer   step 200  ███████████████████░░░░░░░░░░░  62%  10,688/17,248 texts',
    ]);
  });

  test('40 columns', () => {
    expect(renderView(stateAfter(...steps(231), REFRESH, EVALUATION), 40)).toEqual([
      'train  ance 231/300  77%  ETA 2 min 18 s',
      'loss   1.7  ██▇▇▇▇▆▆▆▆▅▅▅▅▄▄▄▄▃▃▃▃▂▂▂▂▁▁',
      'grad   norm 1.034, 3,500 tokens/s',
      'neg    of step 200, 30 steps old, 38% r…',
      'dev at 100  RR@10 0.8731 ★  nDCG@10 0.8…',
      'infer  idle, step 200 took 59 s',
    ]);
  });

  test('the loss line shows the present stage', () => {
    expect(renderView(stateAfter(...steps(100)), 80)[1]).toMatch(/^loss {9}3\.01 {2}█+.*▁$/);
    expect(renderView(stateAfter(...steps(102)), 80)[1]).toBe('loss         2.99  █▁');
  });

  test('before the first step, while waiting, and at the end', () => {
    expect(renderView(INITIAL_STATE, 80)).toEqual(['train        starts']);
    const wait: RunEvent = { type: 'wait', step: 100, for: 'negatives of checkpoint 100' };
    expect(renderView(stateAfter(wait), 80)).toEqual(['train        waits for negatives of checkpoint 100']);
    expect(renderView(stateAfter(...steps(100), wait), 80)[3]).toBe(
      'negatives    waits for negatives of checkpoint 100',
    );
    expect(renderView(stateAfter(...steps(100), wait, step(100)), 80)[3]).toBe(
      'negatives    of step 100, 0 steps old',
    );
    expect(renderView(stateAfter(...steps(300)), 80)[0]).toMatch(/ance 300\/300 {2}█{30} 100% {2}done$/);
  });

  test('never wider than the terminal; colours change nothing but colours', () => {
    const state = stateAfter(...steps(231), REFRESH, EVALUATION, WORSE, ENCODE);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), (width) => {
        const lines = renderView(state, width);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
        const painted = renderView(state, width, { colour: true });
        expect(painted.map(stripVTControlCharacters)).toEqual(lines);
      }),
    );
  });
});

describe('history', () => {
  const series = fc.array(fc.float({ noNaN: true, min: -100, max: 100 }), { minLength: 1, maxLength: 3000 });
  const record = (values: number[]): History => values.reduce(extend, INITIAL_STATE.losses);

  test('stays small and keeps the mean of what it has seen', () => {
    fc.assert(
      fc.property(series, (values) => {
        const { means, stretch, rest } = record(values);
        expect(means.length).toBeLessThan(256);
        expect(means.length * stretch + rest.length).toBe(values.length);
        const total = means.reduce((sum, value) => sum + value * stretch, 0);
        const all = rest.reduce((sum, value) => sum + value, total);
        expect(all).toBeCloseTo(
          values.reduce((sum, value) => sum + value, 0),
          3,
        );
      }),
      { numRuns: 30 },
    );
  });

  test('sparklines', () => {
    expect(sparkline([8, 7, 6, 5, 4, 3, 2, 1], 20)).toBe('█▇▆▅▄▃▂▁');
    expect(sparkline([8, 8, 1, 1], 2)).toBe('█▁');
    expect(sparkline([3, 3], 9)).toBe('▁▁');
    expect(sparkline([], 9)).toBe('');
    expect(sparkline([1, 2], 0)).toBe('');
    expect(averaged([1, 2, 3, 4, 5, 6], 3)).toEqual([1.5, 3.5, 5.5]);
  });

  test('the time left counts from where a resumed run went on', () => {
    const resumed = [step(200), step(201), step(202)].reduce<TrainingState>(
      (state, event, i) => applyEvent(state, event, i * 4000),
      INITIAL_STATE,
    );
    expect(resumed.secondsLeft).toBe((300 - 203) * 4);
  });
});

function viewOn(terminal: FakeTerminal, environment: Record<string, string> = {}, quiet = false) {
  const clock = { time: 0 };
  const view = new LiveView({ stream: terminal as never, now: () => clock.time, environment, quiet });
  const show = (event: RunEvent, ms = 2000): void => {
    view.show(event.type === 'step' ? 'trainer' : 'inferencer', event);
    clock.time += ms;
  };
  return { view, show };
}

describe('LiveView on a terminal', () => {
  test('redraws in place; messages stay above', () => {
    const terminal = new FakeTerminal();
    const { view, show } = viewOn(terminal);
    for (const event of steps(231)) show(event);
    show({ type: 'log', level: 'warning', message: 'no answer strings' });
    for (const event of [REFRESH, EVALUATION, ENCODE, WORSE]) show(event);
    view.log('info', 'stopping after this step');
    view.close();
    const drawn = renderView(stateAfter(...steps(231), REFRESH, EVALUATION, ENCODE, WORSE), 80);
    expect(terminal.screen).toEqual([
      'warning: inferencer: no answer strings',
      'stopping after this step',
      ...drawn,
      '',
    ]);
  });

  test('draws at most ten times a second, but the last state in the end', () => {
    const terminal = new FakeTerminal();
    const { view, show } = viewOn(terminal);
    for (const event of steps(100)) show(event, 10);
    expect(terminal.raw.match(/warmup \d/g)).toHaveLength(10);
    view.close();
    expect(terminal.screen[0]).toMatch(/^train {8}warmup 100\/300/);
  });

  test('an evaluation is drawn at once', () => {
    const terminal = new FakeTerminal();
    const { show } = viewOn(terminal);
    show(step(0), 1);
    show(EVALUATION, 1);
    expect(terminal.screen.join('\n')).toContain('RR@10 0.8731 ★');
  });

  test('fits the terminal', () => {
    const terminal = new FakeTerminal({ columns: 40 });
    const { show } = viewOn(terminal);
    for (const event of [...steps(120), EVALUATION, ENCODE]) show(event);
    expect(Math.max(...terminal.screen.map((line) => line.length))).toBeLessThanOrEqual(40);
  });

  test('has colours unless NO_COLOR is set', () => {
    const [coloured, plain] = [new FakeTerminal(), new FakeTerminal()];
    viewOn(coloured).show(step(0));
    viewOn(plain, { NO_COLOR: '1' }).show(step(0));
    expect(coloured.raw).toContain('\x1b[2mtrain');
    expect(plain.raw).not.toContain('\x1b[');
    expect(plain.screen).toEqual(coloured.screen);
  });
});

describe('LiveView elsewhere', () => {
  test.each([
    ['a file', { isTTY: false }, {}],
    ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }],
  ])('%s gets plain lines: each event, and steps every five seconds', (_, terminalOptions, environment) => {
    const terminal = new FakeTerminal(terminalOptions);
    const { view, show } = viewOn(terminal, environment);
    show({ type: 'start', process: 'inferencer', step: 100 });
    for (const number of [100, 101, 102, 103]) show(step(number));
    show({ type: 'checkpoint', step: 104, seconds: 0.4 });
    show(ENCODE, 100);
    show(ENCODE, 100);
    show(REFRESH);
    show({ type: 'negatives', step: 212, version: 200, age: 12 });
    show(EVALUATION);
    show({ type: 'wait', step: 300, for: 'negatives of checkpoint 300' });
    show({ type: 'log', level: 'error', message: 'disk full' });
    show({ type: 'end', process: 'inferencer', step: 300 });
    view.close();
    expect(terminal.raw).not.toContain('\x1b');
    expect(terminal.screen).toEqual([
      'inferencer starts at step 100',
      'ance  step 101/300  loss 3  gradient norm 1.034  3,500 tokens/s  negatives of step 100',
      'ance  step 104/300  loss 2.97  gradient norm 1.034  3,500 tokens/s  negatives of step 100  ETA 6 min 32 s',
      'checkpoint of step 104 in 0.4 s',
      'encoding with step 200: 10,688/17,248 texts',
      'refresh with step 200: 17,248 documents, 11,578 queries; encode 55 s, index 1.0 s, search 3.0 s, 38% of the negatives replaced',
      'negatives of step 200 serve from step 212, 12 steps old',
      'dev at step 100: RR@10 0.8731  nDCG@10 0.8912  R@100 0.9811  (best so far)',
      'inferencer waits at step 300 for negatives of checkpoint 300',
      'error: inferencer: disk full',
      'inferencer has finished at step 300',
      '',
    ]);
  });

  test('queries without candidates are told once a source, and again when there are more', () => {
    const terminal = new FakeTerminal({ isTTY: false });
    const { show } = viewOn(terminal, {}, true);
    const mining = (withoutCandidates: number): MiningOutcome => ({
      ranked: 2000,
      kept: 1200,
      removed: { 'known-positives': 100, 'relative-margin': 700 },
      trainingQueries: 1578,
      withoutCandidates,
    });
    show({ type: 'mined', step: 0, source: 'bm25', table: 'bm25-0123abcd', mining: mining(3) });
    for (const queries of [0, 17, 12, 1020]) show({ ...REFRESH, mining: mining(queries) });
    const removed = 'of 2,000 documents ranked, the rule relative-margin removed most: 700';
    const nothing = 'have no candidate and learn nothing from this source';
    expect(terminal.screen).toEqual([
      `warning: inferencer: bm25-0123abcd negatives: 3 of 1,578 training queries ${nothing}; ${removed}`,
      `warning: inferencer: ann negatives of step 200: 17 of 1,578 training queries ${nothing}; ${removed}`,
      `warning: inferencer: ann negatives of step 200: 1,020 of 1,578 training queries ${nothing}; ${removed}`,
      '',
    ]);
  });

  test.each([true, false])('quiet leaves warnings and errors (terminal: %s)', (isTTY) => {
    const terminal = new FakeTerminal({ isTTY });
    const { view, show } = viewOn(terminal, {}, true);
    for (const event of [...steps(5), EVALUATION]) show(event);
    view.log('info', 'hidden');
    view.log('warning', 'shown');
    view.close();
    expect(terminal.screen).toEqual(['warning: shown', '']);
  });
});
