import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { runCli } from './run.js';

let stderr: MockInstance<typeof process.stderr.write>;
beforeEach(() => {
  stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => vi.restoreAllMocks());

test.each<[string, string]>([
  ['serch --help', "unknown command 'serch'\n(Did you mean search?)"],
  ['data improt -h', "unknown command 'improt'\n(Did you mean import?)"],
  ['bm25 --help serch', ''],
  ['help serch', "unknown command 'serch'\n(Did you mean search?)"],
  ['help data improt', "unknown command 'improt'\n(Did you mean import?)"],
  ['help data import', ''],
  ['imprt pairs.csv data/mine', "unknown command 'imprt'\n(Did you mean data import?)"],
  ['valdate x', "unknown command 'valdate'\n(Did you mean data validate?)"],
  ['serach ./docs words', "unknown command 'serach'\n(Did you mean search?)"],
  ['data serch', "unknown command 'serch'"],
])('%s', async (line, message) => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  expect(await runCli(line.split(' '))).toBe(message === '' ? 0 : 2);
  expect(stderr.mock.calls.map(([text]) => text).join('')).toContain(message);
});

test('what cannot compute here is refused before anything begins', async () => {
  expect(await runCli(['train', '--data', 'x', '--provider', 'abacus'])).toBe(1);
  const told = stderr.mock.calls.map(([text]) => text).join('');
  expect(told).toContain('cannot start the model on abacus');
  expect(told).toContain('this runtime has cpu');
});

test('-v is the version, recipes are listed and explained', async () => {
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const printed = (): string =>
    stdout.mock.calls
      .splice(0)
      .map(([text]) => text)
      .join('');
  expect(await runCli(['-v'])).toBe(0);
  expect(printed()).toMatch(/^\d+\.\d+\.\d+/);
  expect(await runCli(['recipes'])).toBe(0);
  const recipes = printed();
  expect(recipes).toMatch(/^ance-firstp\n {2}"ANCE \(FirstP\)"[\s\S]+Stages: ance \(300 steps\)\.\n/m);
  expect(recipes).toContain('Stages: mine, then train (60 steps), then merge (1 step).');
  expect(await runCli(['recipes', 'reranker', '--json'])).toBe(0);
  expect(JSON.parse(printed()).recipes.map(({ name }: { name: string }) => name)).toEqual(['reranker']);
  expect(await runCli(['recipes', 'ance'])).toBe(2);
});

/** None of these may need the files that it names: what is wrong is the command line. */
test.each<[string, string]>([
  ['data split X out --by group', '--by group: expected --group-field with it'],
  ['data split X out --group-field article', '--group-field is of no use with --by query'],
  ['data split X out --ratios train=1', 'two splits or more'],
  ['data split X out --ratios train=0.5,train=0.5', 'two splits or more'],
  ['data split X out --ratios train=0.5,test=0', 'shares above 0'],
  ['data split X out --seed 1e3', 'Expected a whole number from 0'],
  [
    'data import X out --max-words 5 --overlap 3',
    '--overlap: expected at most 2, half of --max-words 5, got 3',
  ],
  ['data import X out --overlap 101', 'expected at most 100'],
  ['data import X out --delimiter=', 'Expected a character'],
  ['encode X --model minilm --output v.txt', 'v.txt: expected a name ending in .npy, .f32 or .f16'],
  ['encode X --model minilm --output v.f32 --dtype f16', 'the name says f32, but f16 was asked for'],
  ['mine X --depth 5 --skip-ranks 5', '--skip-ranks 5 leaves nothing of the 5 ranks of --depth'],
  ['bm25 tune X --data D --k1=-1', 'Expected numbers from 0 to 1000'],
  ['bm25 tune X --data D --b 0.5,2', 'Expected numbers from 0 to 1 '],
  ['bm25 search X anemia --run r.trec', '--run is of no use without --queries'],
  ['bm25 search X anemia --split test', '--split is of no use without --queries'],
  ['bm25 search X ', 'Expected some words'],
  ['search X anemia --weights=-1,2', 'Expected numbers from 0 with commas'],
  ['search X anemia --split test', '--split is of no use without --queries'],
  ['search X anemia --tag t', '--tag is of no use without --queries'],
  ['search X anemia --measure RR', '--measure is of no use without --tune'],
  ['search X anemia --tune dev', 'either a query or --tune'],
  ['search X anemia --filter {bad', 'not valid JSON'],
  ['fuse a b --out f --weights=1,-1', 'Expected numbers from 0 with commas'],
  ['fuse a b --out f --tune-split dev', '--tune-split is of no use without --tune-on'],
  ['repro table1 --data X --recipes dpr,nosuch', 'got "nosuch"'],
  ['plan --documents 1e6 --storage i8', 'use --storage f16, or --index int8'],
  ['plan --documents 1e6 --index binary --storage i8', 'binary keeps whole vectors on disk as f32 or f16'],
  ['push X --to qdrant://a/50%', '--to: expected % and two digits of a character, got "50%"'],
  ['serve X --cors https://example.org/page', 'paths do not belong to it'],
  ['train --data X --recipe nosuch --out no-such-run', 'nosuch: no built-in recipe of this name'],
])('%s: exit code 2', async (line, message) => {
  expect(await runCli(line.split(' '))).toBe(2);
  expect(stderr.mock.calls.map(([text]) => text).join('')).toContain(message);
});
