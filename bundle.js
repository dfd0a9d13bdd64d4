/**
 * Writes the package's JavaScript, `dist/`: 300 files instead of 1,000. Node.js takes a good part of a millisecond
 * for each module it loads, in every thread anew, which was a quarter of the time until `nearmiss serve` gave its first
 * answer (docs/serving.md). Types are tsc's work; the web UI is Vite's.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'rolldown';

/** It comes with 64 languages for messages, of which none is used here; all would be loaded. */
const BUNDLED = 'zod';

/**
 * What the threads of `nearmiss search` and `serve` load before the first answer, by the modules that it begins with.
 * Modules that the same ones of these need become one file, so that a thread loads a handful, and nothing that another
 * needs alone.
 */
const STARTS = {
  command: ['cli/main'],
  begin: ['serve/serve-target', 'search/open/open-searcher'],
  search: [
    'search/open/assemble-searcher',
    'search/open/prepare',
    'search/open/tuned-fusion',
    'search/retrievers/bm25-retriever',
    'search/retrievers/dense-retriever',
    'search/retrievers/hybrid-retriever',
    'search/live/overlay/live-bm25',
    'search/live/overlay/live-vectors',
    'search/live/index',
  ],
  ask: ['cli/commands/search/encoding', 'cli/commands/search/answer', 'search/filter/known-fields'],
  serve: ['serve/server', 'cli/commands/serve/run-until-stopped'],
  model: ['search/workers/model-worker', 'search/embedder'],
  vectors: ['index/vectors/index-worker'],
  words: ['index/bm25/search-worker'],
};

const SOURCE = /[\\/]src[\\/].*\.ts$/;
const SERVE = /[\\/]src[\\/](?:serve|cli)[\\/]/;

const { exports, bin, dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const published = [...Object.values(exports), `./${bin.nearmiss}`]
  .filter((path) => path.endsWith('.js'))
  .map((path) => path.slice('./dist/'.length, -'.js'.length));
const started = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => /-(?:worker|process)\.ts$/.test(path))
  .map((path) => path.replaceAll('\\', '/').slice(0, -'.ts'.length));

/** Which starts need a module. What it imports is needed by the same and perhaps more, so files import one way. */
const neededBy = new Map();

function findNeeded(context) {
  const visit = (id, start) => {
    const starts = neededBy.get(id) ?? [];
    if (starts.includes(start)) return;
    neededBy.set(id, [...starts, start]);
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) visit(imported, start);
  };
  for (const [start, names] of Object.entries(STARTS)) {
    for (const name of names) visit(resolve('src', `${name}.ts`), start);
  }
}

function startsOf(id, context) {
  if (neededBy.size === 0) findNeeded(context);
  const starts = neededBy.get(id) ?? [];
  if (!SOURCE.test(id) || context.getModuleInfo(id).isEntry) return [];
  // Whoever wants a module of another room must not get the HTTP framework with it.
  return starts.join() === 'serve' && !SERVE.test(id) ? [] : starts;
}

/** Modules that so many starts need. Those of more come first, because a file takes along what its modules import. */
function neededBySoMany(count) {
  return {
    debugName: `needed by ${count}`,
    priority: count,
    name(id, context) {
      const starts = startsOf(id, context);
      return starts.length === count ? starts.join('-') : null;
    },
  };
}

await build({
  input: Object.fromEntries([...published, ...started].map((name) => [name, `src/${name}.ts`])),
  platform: 'node',
  external: Object.keys({ ...dependencies, ...peerDependencies })
    .filter((name) => name !== BUNDLED)
    .map((name) => new RegExp(`^${name}(?:/|$)`)),
  output: {
    dir: 'dist',
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: {
      groups: [
        {
          name: BUNDLED,
          test: new RegExp(`[\\\\/]node_modules[\\\\/]${BUNDLED}[\\\\/]`),
          priority: Object.keys(STARTS).length + 1,
        },
        ...Object.keys(STARTS).map((_, nth) => neededBySoMany(nth + 1)),
      ],
    },
    banner: ({ name }) =>
      name === BUNDLED ? `/*!\n${readFileSync(`node_modules/${BUNDLED}/LICENSE`, 'utf8')}*/` : '',
  },
});
