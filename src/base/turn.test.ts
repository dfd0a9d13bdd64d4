import { expect, test } from 'vitest';
import { Turn } from './turn.js';

/** Keeps the thread busy, as a loop does. */
function compute(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('however many loops there are, timers wait for one turn, not for a turn of each', async () => {
  const turnsOfEach: number[] = [];
  const loop = async (): Promise<void> => {
    const turn = await Turn.begin();
    let turns = 1;
    const end = performance.now() + 1000;
    while (performance.now() < end) {
      compute(1);
      if (!turn.isOver) continue;
      turns++;
      await turn.next();
    }
    turnsOfEach.push(turns);
  };
  let isOn = true;
  let ticks = 0;
  const tick = (): void => {
    ticks++;
    if (isOn) setTimeout(tick, 1);
  };
  tick();
  await Promise.all(Array.from({ length: 50 }, loop));
  isOn = false;
  // With a turn of every loop between two ticks there would be as many ticks as turns of one loop.
  expect(ticks).toBeGreaterThan(3 * Math.max(...turnsOfEach));
  // Nobody is left out, or has many turns while others wait.
  expect(Math.max(...turnsOfEach)).toBeLessThanOrEqual(3 * Math.min(...turnsOfEach) + 3);
});

test('loops that need little have their turns in one round of the event loop', async () => {
  let rounds = 0;
  let isOn = true;
  const round = (): void => {
    rounds++;
    if (isOn) setImmediate(round);
  };
  setImmediate(round);
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      const turn = await Turn.begin();
      await turn.next();
    }),
  );
  isOn = false;
  // One by one they would take 200.
  expect(rounds).toBeLessThan(50);
});

test('work that nobody wants any more ends at its next turn', async () => {
  const leaving = new AbortController();
  const turn = await Turn.begin(leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(turn.next(leaving.signal)).rejects.toThrow('gone');
  await expect(Turn.begin(leaving.signal)).rejects.toThrow('gone');
});
