import { expect, test } from 'vitest';
import { Progress } from './progress.js';

/** What a bar of a terminal shows after each step of 100 ms. */
function shown(total: number | undefined, steps: readonly number[]): string[] {
  const lines: string[] = [];
  let now = 0;
  const stream = { isTTY: true, write: (text: string) => lines.push(text) } as unknown as NodeJS.WriteStream;
  const progress = new Progress({ label: 'index', unit: 'documents', total, stream, now: () => now });
  for (const step of steps) {
    now += 100;
    progress.advance(step);
  }
  return lines.map((line) => line.replace('\r\x1b[2K', ''));
}

test('a total that was estimated too low is no longer shown', () => {
  const [half, all, more] = shown(10, [5, 5, 5]);
  expect(half).toContain(' 50%  5/10 documents');
  expect(all).toContain('100%  10/10 documents');
  expect(more).toBe('index 15 documents  0.3 s');
});

test('without a total only what is done is shown', () => {
  expect(shown(undefined, [2])).toEqual(['index 2 documents  0.1 s']);
});
