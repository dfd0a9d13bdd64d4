import { expect, test } from 'vitest';
import type { RunEvent } from '../../run/events.js';
import { RoleProgress } from './role-progress.js';

test('a process that goes over old ground and dies there gets nowhere', () => {
  const progress = new RoleProgress();
  const note = (...events: RunEvent[]): number => {
    for (const event of events) progress.note({ time: '', ...event });
    return progress.marks;
  };
  const start: RunEvent = { type: 'start', process: 'inferencer', step: 0 };
  const negatives: RunEvent = { type: 'negatives', step: 20, version: 20, age: 0 };
  const encoded = (done: number): RunEvent => ({ type: 'encode', step: 20, done, total: 100 });
  const checkpoint: RunEvent = { type: 'checkpoint', step: 20, seconds: 1 };
  expect(note(start, negatives, encoded(10), encoded(20))).toBe(2);
  expect(note(start, negatives, encoded(10), encoded(20))).toBe(2);
  expect(note(start, encoded(10), encoded(20), encoded(30))).toBe(3);
  expect(note(checkpoint, checkpoint)).toBe(4);
});
