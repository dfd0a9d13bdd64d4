import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ROOT } from './docs.fixture.js';
import { exampleModule, wordsOf } from './jsdoc/example-module.fixture.js';
import { type Example, readExamples } from './jsdoc/examples.fixture.js';
import { given, placeOf } from './jsdoc/given.fixture.js';
import { fillWorld } from './jsdoc/world.fixture.js';
import { typeCheck } from './type-check.fixture.js';

interface Exception {
  file: string;
  calls: string;
  because: string;
  /** Examples of the file that it is about. Default 1. */
  examples?: number;
}

/** Examples that are type-checked but not run, by their file and what they call. */
const NOT_RUN: Exception[] = [
  { file: 'base/errors.ts', calls: 'throw', because: 'it throws' },
  { file: 'base/package-files.ts', calls: 'Worker', because: 'its thread waits for an index to search' },
  { file: 'model/folder/source.ts', calls: 'resolveModel', because: 'it asks the Hugging Face hub' },
  { file: 'model/hub/hub.ts', calls: 'downloadModel', because: 'it asks the Hugging Face hub' },
  { file: 'adapt/adapt.ts', calls: 'adapt', because: 'it takes long; adapt.test.ts has a short one' },
  {
    ...{ file: 'train/train.ts', calls: 'train', examples: 2 },
    because: 'it takes long; test/examples.test.ts has a short one',
  },
];
const isMeant = ({ file, calls }: Exception, example: Example): boolean =>
  example.file === file && example.code.includes(calls);

const examples = readExamples();
const run = examples.filter((example) => !NOT_RUN.some((exception) => isMeant(exception, example)));

const start = process.cwd();
let folder: string;
let complaints: Promise<string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-jsdoc-'));
  for (const name of ['examples', 'wrong', 'world']) await mkdir(join(folder, name));
  for (const example of examples) await writeFile(modulePath(example), exampleModule(example));
  complaints = typeCheck(join(folder, 'examples'), {
    extends: join(ROOT, 'tsconfig.json'),
    // An example may show a result without using it, and does not say which of its names are types.
    compilerOptions: { noUnusedLocals: false, verbatimModuleSyntax: false },
    include: ['*.mts'],
  });
  await fillWorld(join(folder, 'world'));
  process.chdir(join(folder, 'world'));
  vi.spyOn(console, 'log').mockReturnValue();
});

afterAll(async () => {
  process.chdir(start);
  await complaints;
  await rm(folder, { recursive: true, force: true });
});

function modulePath({ name }: Example): string {
  return join(folder, 'examples', `${name.replaceAll('/', '.').replace('.ts:', '-')}.mts`);
}

async function runModule(path: string): Promise<void> {
  const { example }: { example(): Promise<void> } = await import(path);
  await example();
}

describe('an example in a comment works', () => {
  test.each(run.map((example) => [example.name, example] as const))('%s', (_name, example) =>
    runModule(modulePath(example)),
  );

  test.each(NOT_RUN.map((exception) => [exception.file, exception.because, exception] as const))(
    '%s: not run, because %s',
    (_file, _because, exception) => {
      const meant = examples.filter((example) => isMeant(exception, example));
      expect(meant).toHaveLength(exception.examples ?? 1);
    },
  );

  test('for the compiler, too', async () => {
    expect(examples.length).toBeGreaterThan(0);
    expect(await complaints).toBe('');
  });
});

test('what is given is used', () => {
  const spare = new Set(
    Object.entries(given).flatMap(([place, names]) => Object.keys(names).map((name) => `${place}: ${name}`)),
  );
  for (const { file, code } of examples) {
    for (const word of wordsOf(code)) spare.delete(`${placeOf(file)}: ${word}`);
  }
  expect([...spare]).toEqual([]);
});

test.each([
  ['shows another result', "suggest('nDGC', ['nDCG', 'RR']); // 'RR'"],
  ['fails', "suggest('nDGC', JSON.parse('null'));"],
])('an example that %s is found out', async (what, code) => {
  const path = join(folder, 'wrong', `${what.replaceAll(' ', '-')}.mts`);
  await writeFile(path, exampleModule({ name: what, file: 'base/suggest.ts', code }));
  await expect(runModule(path)).rejects.toThrow();
});
