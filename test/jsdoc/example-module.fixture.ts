import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../docs.fixture.js';
import type { Example } from './examples.fixture.js';
import { exportedNames } from './exported-names.fixture.js';
import { given, placeOf } from './given.fixture.js';

/** Where a name in an example may come from. */
interface Origin {
  path: string;
  names: string[];
}

const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, string>;
};

/** What users import, by subpath of the package. */
const PUBLIC: Origin[] = Object.values(exports)
  .filter((target) => target.endsWith('.js'))
  .map((target) => originAt(target.replace(/^\.\/dist\//, '').replace(/\.js$/, '.ts')));

function originAt(file: string): Origin {
  const path = join(ROOT, 'src', file);
  return { path, names: exportedNames(path) };
}

/**
 * An example as a module with one function, `example`. Names that it does not declare come from what is given in
 * its room, from its own file, or from the package as users import it.
 */
export function exampleModule({ file, code }: Example): string {
  const words = wordsOf(code);
  const place = placeOf(file);
  const ready = place ? Object.keys(given[place]).filter((name) => words.has(name)) : [];
  const imported = new Map<string, string[]>();
  const own = originAt(file);
  for (const word of words) {
    if (ready.includes(word)) continue;
    const origin = [own, ...PUBLIC].find(({ names }) => names.includes(word));
    if (origin) imported.set(origin.path, [...(imported.get(origin.path) ?? []), word]);
  }
  return [
    ...[...imported].map(
      ([path, names]) => `import { ${names.join(', ')} } from '${path.replace(/\.ts$/, '.js')}';`,
    ),
    `import { given } from '${join(import.meta.dirname, 'given.fixture.js')}';`,
    `import { shows } from '${join(import.meta.dirname, 'shows.fixture.js')}';`,
    'export async function example() {',
    ...ready.map((name) => `const ${name} = await given['${place}'].${name}();`),
    '{',
    ...code.split('\n').map(withShownResult),
    '}}',
    '',
  ].join('\n');
}

/** Every identifier outside texts and comments that is not a property. */
export function wordsOf(code: string): Set<string> {
  const bare = code.replaceAll(/\/\/.*$/gm, '').replaceAll(/'[^'\n]*'|"[^"\n]*"/g, "''");
  return new Set([...bare.matchAll(/(?<!(?<!\.\.)\.|[\w$])[A-Za-z_]\w*/g)].map(([word]) => word));
}

const SHOWN =
  /^(?!const |let |for |if |throw )(.+); \/\/ (?:[A-Z]\w+ )?(true|false|-?\d[\d.]*|'[^']*'|\[.*\]|\{.*\})(?::.*)?$/;

/** `add(1, 2); // 3` says what comes out, so it must. */
function withShownResult(line: string): string {
  return line.replace(SHOWN, 'shows($1, $2);');
}
