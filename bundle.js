/**
 * Writes the package's JavaScript, `dist/`: 250 files instead of 600. Node.js takes a good part of a millisecond
 * for each module it loads, in every thread anew, which was a quarter of the time until `nearmiss serve` gave its first
 * answer (docs/serving.md). Types are tsc's work; the web UI is Vite's.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { build } from 'rolldown';

/** It comes with 64 languages for messages, of which none is used here; all would be loaded. */
const BUNDLED = 'zod';

const { exports, bin, dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const published = [...Object.values(exports), `./${bin.nearmiss}`]
  .filter((path) => path.endsWith('.js'))
  .map((path) => path.slice('./dist/'.length, -'.js'.length));
const started = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => /-(?:worker|process)\.ts$/.test(path))
  .map((path) => path.replaceAll('\\', '/').slice(0, -'.ts'.length));

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
      groups: [{ name: BUNDLED, test: new RegExp(`[\\\\/]node_modules[\\\\/]${BUNDLED}[\\\\/]`) }],
    },
    banner: ({ name }) =>
      name === BUNDLED ? `/*!\n${readFileSync(`node_modules/${BUNDLED}/LICENSE`, 'utf8')}*/` : '',
  },
});
