import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** A flag where no name of a style begins. */
const FLAG = /(?<![\w'"(:-])--[a-z]/;

test('no page tells somebody in a browser to type a flag of the command line', () => {
  const folder = import.meta.dirname;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const pages = files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'));
  expect(pages.length).toBeGreaterThan(50);
  const named = pages.flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => FLAG.test(line) && !/^\s*(\/\*\*|\*|\/\/)/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(named).toEqual([]);
});
