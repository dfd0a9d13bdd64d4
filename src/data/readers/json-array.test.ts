import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { throwProblem } from '../problem.js';
import { jsonArraySource } from './json-array.js';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-json-'));
  file = join(folder, 'list.json');
});
afterAll(() => rm(folder, { recursive: true }));

async function read(content: string): Promise<{ value: unknown; line: number }[]> {
  await writeFile(file, content);
  const elements: { value: unknown; line: number }[] = [];
  for await (const { value, line } of jsonArraySource(file, (each) => ({ each })).read(throwProblem)) {
    elements.push({ value: value.each, line });
  }
  return elements;
}

test('any list, however it is laid out, gives what JSON.parse gives', async () => {
  const tricky = fc.constantFrom('"', '\\', '\\"', '[', ']', '{', '}', ',', '\n', '中', '🐟', 'x');
  const text = fc.array(tricky, { maxLength: 12 }).map((parts) => parts.join(''));
  const element = fc.oneof(fc.jsonValue(), text, fc.dictionary(text, text));
  await fc.assert(
    fc.asyncProperty(fc.array(element, { maxLength: 20 }), fc.constantFrom(0, 2), async (list, indent) => {
      const values = (await read(`\n ${JSON.stringify(list, null, indent)} \n`)).map(({ value }) => value);
      expect(values).toEqual(JSON.parse(JSON.stringify(list)));
    }),
    { numRuns: 150, seed: 1 },
  );
});

test('elements survive the borders of chunks', async () => {
  const list = Array.from({ length: 40 }, (_, i) => ({ i, text: `${'\\"[é'.repeat(i * 1500)}` }));
  expect((await read(JSON.stringify(list))).map(({ value }) => value)).toEqual(list);
});

test('tells the line on which an element begins', async () => {
  const elements = await read('[\n  {"a":\n 1},\n  2, 3,\n\n  {"b": 2}\n]');
  expect(elements.map(({ line }) => line)).toEqual([2, 4, 4, 6]);
});

test.each([
  ['', /1: unexpected end of file/],
  ['{"a": 1}', /:1: expected a JSON list/],
  ['[1,\n2', /:2: unexpected end of file/],
  ['[1]\n2', /:2: more text after the end of the list/],
  ['[1,\n]', /:2: not valid JSON/],
  ['[\n{"a": 1]}\n]', /:2: not valid JSON/],
  ['[1 2]', /:1: not valid JSON/],
])('%j is told', async (content, message) => {
  await expect(read(content)).rejects.toThrow(message);
});
