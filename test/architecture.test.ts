import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

// docs/design.md: data flows down this list; a room may use the rooms above it, never those below.
const ROOMS = [
  'base',
  'engine',
  'text',
  'data',
  'model',
  'fleet',
  'index',
  'evaluate',
  'negatives',
  'loss',
  'teacher',
  'generate',
  'examples',
  'recipe',
  'run',
  'search',
  'systems',
  'train',
  'adapt',
  'analyze',
  'repro',
  'serve',
  'cli',
];

const root = resolve(import.meta.dirname, '../src');

interface Import {
  file: string;
  target: string;
}

function sourceFiles(): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.replaceAll('\\', '/'));
}

function importsOf(file: string): Import[] {
  const source = readFileSync(join(root, file), 'utf8');
  const found = source.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g);
  return [...found].map((match) => ({ file, target: match[1] }));
}

function roomOf(file: string): string {
  return file.split('/')[0];
}

const all = sourceFiles().flatMap(importsOf);

test('every folder of src is a known room', () => {
  const rooms = new Set(
    sourceFiles()
      .filter((file) => file.includes('/'))
      .map(roomOf),
  );
  expect([...rooms].filter((room) => !ROOMS.includes(room))).toEqual([]);
});

test('rooms import only from rooms above them', () => {
  const wrong = all
    .filter(({ file, target }) => target.startsWith('.') && file.includes('/') && !isTestCode(file))
    .map(({ file, target }) => ({ file, target: relative(root, resolve(root, file, '..', target)) }))
    .filter(({ file, target }) => ROOMS.indexOf(roomOf(target)) > ROOMS.indexOf(roomOf(file)))
    .map(({ file, target }) => `${file} imports ${target}`);
  expect(wrong).toEqual([]);
});

/** What a source file imports of others of the house, types included: who needs a type of another cannot be read alone either. */
function neighbours(file: string): string[] {
  return importsOf(file)
    .filter(({ target }) => target.startsWith('.'))
    .map(({ target }) => join(dirname(file), target).replace(/\.js$/, '.ts'));
}

/** Groups of files that import each other, directly or by way of others (Tarjan's strongly connected components). */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const earliest = new Map<string, number>();
  const open: string[] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    earliest.set(file, order.get(file)!);
    open.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      else if (!open.includes(next)) continue;
      earliest.set(file, Math.min(earliest.get(file)!, earliest.get(next)!));
    }
    if (earliest.get(file) !== order.get(file)) return;
    const group = open.splice(open.indexOf(file));
    if (group.length > 1 || graph.get(file)?.includes(file)) found.push(group.toSorted());
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}

test('no files import each other', () => {
  const graph = new Map(sourceFiles().map((file) => [file, neighbours(file)]));
  expect(graph.get('cli/main.ts')).toContain('cli/run.ts');
  expect(cyclesIn(graph)).toEqual([]);
  const chain: [string, string[]][] = [
    ['a', ['b', 'd']],
    ['b', ['c']],
    ['c', ['a']],
    ['d', ['c', 'e']],
    ['e', []],
  ];
  expect(cyclesIn(new Map(chain))).toEqual([['a', 'b', 'c', 'd']]);
});

/** More than that and a folder holds several concepts. */
const MOST_FILES = 25;

test(`no folder has more than ${MOST_FILES} files of production`, () => {
  const count = new Map<string, number>();
  for (const file of sourceFiles().filter((name) => !isTestCode(name))) {
    count.set(dirname(file), (count.get(dirname(file)) ?? 0) + 1);
  }
  expect(Math.max(...count.values())).toBeGreaterThan(10);
  expect([...count].filter(([, files]) => files > MOST_FILES)).toEqual([]);
});

/** Values that no other file names. Types are not asked for: they stay with the functions that take and give them. */
function exportedForNobody(sources: ReadonlyMap<string, string>): string[] {
  const places = new Map<string, number>();
  for (const source of sources.values()) {
    for (const word of new Set(source.match(/[\w$]+/g))) places.set(word, (places.get(word) ?? 0) + 1);
  }
  return [...sources].flatMap(([file, source]) =>
    [...source.matchAll(EXPORTED_VALUE)]
      .filter(([, name]) => places.get(name) === 1 && !/\.test\.tsx?$/.test(file))
      .map(([, name]) => `${file}: ${name}`),
  );
}

const EXPORTED_VALUE = /^export (?:abstract |async )?(?:function\*?|const|let|class) ([\w$]+)/gm;

test('what a file exports, another one uses', () => {
  const house = resolve(root, '..');
  const files = ['src', 'web/src', 'bench', 'test'].flatMap((folder) =>
    readdirSync(join(house, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
      .map((name) => join(folder, name)),
  );
  const sources = new Map(
    [...files, 'vitest.config.ts'].map((file) => [file, readFileSync(join(house, file), 'utf8')]),
  );
  expect(exportedForNobody(sources)).toEqual([]);
  const some = new Map([
    ['a.ts', 'export const used = 1;\nexport async function spare() {}\nexport interface Shape {}\n'],
    ['b.ts', 'used;'],
  ]);
  expect(exportedForNobody(some)).toEqual(['a.ts: spare']);
});

test('only the engine imports onnxruntime', () => {
  const wrong = all
    .filter(({ file, target }) => target.startsWith('onnxruntime') && roomOf(file) !== 'engine')
    .map(({ file }) => file);
  expect(wrong).toEqual([]);
});

/** Everything that is loaded before a file's own code runs. */
function loadedWith(start: string): Set<string> {
  const loaded = new Set([start]);
  for (const file of loaded) {
    if (!file.endsWith('.ts')) continue;
    const source = readFileSync(join(root, file), 'utf8');
    for (const [, target] of [...source.matchAll(STATIC_IMPORT), ...source.matchAll(REQUIRED)]) {
      const local = target.startsWith('.');
      loaded.add(local ? join(dirname(file), target).replace(/\.js$/, '.ts') : target);
    }
  }
  return loaded;
}

const STATIC_IMPORT = /^(?:import|export) (?!type )(?:[^;'"]*? from )?'([^']+)'/gm;
const REQUIRED = /createRequire\(import\.meta\.url\)\(\s*'([^']+)'/g;

// What a worker thread loads is not loaded twice, and what a page may ask for later is not waited for.
test.each([
  ['cli/main.ts', ['zod', 'fastify']],
  ['serve/serve-target.ts', ['fastify']],
  ['serve/server.ts', []],
])('%s starts without native libraries and readers of texts', (file, others) => {
  const loaded = loadedWith(file);
  const slow = ['onnxruntime-node', 'usearch', 'tokenizers', 'marked', 'htmlparser2', ...others];
  expect(slow.filter((name) => loaded.has(name))).toEqual([]);
  expect(loadedWith('index.ts')).toContain('marked');
});

test('the check sees the imports it judges', () => {
  expect(all).toContainEqual({ file: 'cli/main.ts', target: './run.js' });
  expect(ROOMS.indexOf('cli')).toBeGreaterThan(ROOMS.indexOf('base'));
});

function isTestCode(file: string): boolean {
  return /\.(test|fixture|conformance)\.ts$/.test(file);
}

test('tests wait with expect.poll, and leave patience to vitest.config.ts', () => {
  const tests = sourceFiles().filter(isTestCode);
  // Each of these gives up after a second, which a busy machine may take for anything; and a test's own time is a guess.
  const hasty = tests.filter((file) =>
    /\bvi\.wait(For|Until)\(|^ {0,2}\}, [\d_]{4,}\);/m.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(tests.length).toBeGreaterThan(100);
  expect(hasty).toEqual([]);
});
