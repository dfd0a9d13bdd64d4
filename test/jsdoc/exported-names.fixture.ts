import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}/gm;
const ALL = /^export \* (?:as (\w+) )?from '([^']+)'/gm;

/** Every name that a source file exports, types included. */
export function exportedNames(path: string): string[] {
  const source = readFileSync(path, 'utf8');
  const declared = [...source.matchAll(DECLARED)].map(([, name]) => name);
  const listed = [...source.matchAll(LISTED)].flatMap(([, names]) =>
    names
      .split(',')
      .map((name) => name.trim().split(' ').at(-1)!)
      .filter((name) => name !== ''),
  );
  const all = [...source.matchAll(ALL)].flatMap(([, namespace, target]) =>
    namespace ? [namespace] : exportedNames(join(dirname(path), target.replace(/\.js$/, '.ts'))),
  );
  return [...declared, ...listed, ...all];
}
