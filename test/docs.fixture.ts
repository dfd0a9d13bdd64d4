import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '..');

export interface Page {
  /** From the root, e.g. `docs/formats.md`. */
  path: string;
  text: string;
}

/** Every page that a reader may open. */
export function readPages(): Page[] {
  const docs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const paths = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...docs.map((name) => `docs/${name}`)];
  return paths.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** Targets of Markdown links and pictures, without those inside code. */
export function linksOf({ text }: Page): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
}

/** Names of headings as links spell them on GitHub. */
export function anchorsOf(text: string): string[] {
  return [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
}

/** Lines of shell blocks, continued ones joined. */
export function shellLines({ text }: Page): string[] {
  const blocks = [...text.matchAll(/^```(?:sh|bash|console)\n([\s\S]*?)^```/gm)].map(([, block]) => block);
  return blocks.flatMap((block) =>
    block
      .replaceAll(/\\\n\s*/g, ' ')
      .split('\n')
      .map((line) => line.replace(/^\$ /, '').trim()),
  );
}

/** Splits a command line as a shell does, as far as documentation needs it; comments and pipes end it. */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  for (const [word, double, single] of line.matchAll(/"([^"]*)"|'([^']*)'|(?:[^\s"']|"[^"]*"|'[^']*')+/g)) {
    if (/^(?:#|\||>|<|&&|;|2>)/.test(word)) break;
    words.push(double ?? single ?? word.replaceAll(/["']/g, ''));
  }
  return words;
}
