import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../docs.fixture.js';

/** The code of an `@example` in a comment of `src/`. */
export interface Example {
  /** File and line of the tag, e.g. `base/top-k.ts:12`. */
  name: string;
  /** From `src/`. */
  file: string;
  code: string;
}

const SOURCE = join(ROOT, 'src');

export function readExamples(): Example[] {
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !/\.(test|fixture|conformance)\.ts$/.test(file))
    .sort()
    .flatMap((file) => examplesOf(file, readFileSync(join(SOURCE, file), 'utf8')));
}

function examplesOf(file: string, source: string): Example[] {
  return [...source.matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap((comment) => {
    const lines = comment[0].split('\n').map((line) => line.replace(/^\s*\*( |$|\/)/, ''));
    const first = source.slice(0, comment.index).split('\n').length;
    return lines.flatMap((line, i) => {
      if (!line.startsWith('@example')) return [];
      const rest = lines.slice(i + 1);
      const end = rest.findIndex((other) => /^@[a-z]/.test(other));
      const code = rest
        .slice(0, end < 0 ? undefined : end)
        .join('\n')
        .trim();
      return [{ name: `${file}:${first + i}`, file, code }];
    });
  });
}
