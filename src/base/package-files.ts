import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);

/** What `package.json` says of this package. */
export const PACKAGE = require('nearmiss/package.json') as { version: string; description: string };

const ROOT = pathToFileURL(require.resolve('nearmiss/package.json'));

/**
 * A file that comes with the package, named from its root. The package asks for itself by its own name: code that runs
 * from `src/` (tests, benchmarks) and code that the build has moved to another file find the same place. Worker threads
 * and child processes are entries of the build (`bundle.js`) and run from `dist/`.
 *
 * @example
 * new Worker(packageFile('dist/index/bm25/search-worker.js'));
 */
export function packageFile(path: string): URL {
  return new URL(path, ROOT);
}

/** Where a page of the documentation is on this machine, for messages: it comes with the package. */
export function docPage(name: string): string {
  const path = fileURLToPath(packageFile(`docs/${name}.md`));
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}
