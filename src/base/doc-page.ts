import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from './package-files.js';

/** Where a page of the documentation is on this machine, for messages: it comes with the package. */
export function docPage(name: string): string {
  const path = fileURLToPath(packageFile(`docs/${name}.md`));
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}
