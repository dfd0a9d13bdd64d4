import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { StudyBars } from './study-bars.js';

function screen(isTTY: boolean): { bars: StudyBars; text: () => string } {
  const stream = Object.assign(new PassThrough(), { isTTY });
  const bars = new StudyBars(stream as unknown as NodeJS.WriteStream);
  return { bars, text: () => String(stream.read() ?? '') };
}

test('on a terminal each part is named at once, in the place of the one before', () => {
  const { bars, text } = screen(true);
  bars.begin('read the run');
  expect(text()).toBe('\r\x1b[2Kread the run …');
  bars.show({ part: 'bm25', done: 0, total: 40 });
  expect(text()).toBe('\r\x1b[2Kbm25 …');
  bars.show({ part: 'bm25', done: 1, total: 40 });
  expect(text()).toBe('');
  bars.clear();
  expect(text()).toBe('\r\x1b[2K');
});

test('elsewhere nothing is drawn', () => {
  const { bars, text } = screen(false);
  bars.begin('read the run');
  bars.clear();
  expect(text()).toBe('');
});
