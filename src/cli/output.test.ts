import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { print, printData, printJson, tell } from './output.js';

afterEach(() => {
  vi.restoreAllMocks();
  Reflect.deleteProperty(process.stdout, 'isTTY');
});

function written(stream: NodeJS.WriteStream): string[] {
  const texts: string[] = [];
  vi.spyOn(stream, 'write').mockImplementation((text, ...rest) => {
    texts.push(String(text));
    for (const callback of rest) if (typeof callback === 'function') callback();
    return true;
  });
  return texts;
}

test('nothing but text to read is printed', () => {
  const [out, err] = [written(process.stdout), written(process.stderr)];
  print('a\x1b[2Jb\tc\n');
  printJson({ a: '\u009b' });
  tell('x\x07\n');
  expect([out, err]).toEqual([['a [2Jb\tc\n', '{"a":"\\u009b"}\n'], ['x \n']]);
});

test.each([
  [true, 'q1 Q0 d [31m 1\n'],
  [false, 'q1 Q0 d\x1b[31m 1\n'],
])('lines for programs are left alone unless a terminal reads them (%s)', async (isTTY, expected) => {
  const out = written(process.stdout);
  Object.defineProperty(process.stdout, 'isTTY', { value: isTTY, configurable: true });
  await printData('q1 Q0 d\x1b[31m 1\n');
  expect(out).toEqual([expected]);
});

test('no command writes past it', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name) && name !== 'output.ts',
  );
  const past = files.filter((name) =>
    /process\.std(out|err)\.write|console\./.test(readFileSync(join(import.meta.dirname, name), 'utf8')),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(past).toEqual([]);
});
