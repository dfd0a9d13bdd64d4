import { basename, extname } from 'node:path';
import { type SplitTextOptions, splitText, wordCount } from '../../text/split-text.js';
import type { Document } from '../dataset.js';
import { closeFences } from './code-fences.js';
import type { SectionedDocument, SectionLink } from './html-sections.js';
import { anchorsOf } from './links/anchors.js';
import { linksBetween } from './links/links-between.js';

/** A single word says too little to be found by: it goes with a neighbour. */
const FEWEST_WORDS = 2;
/** Between a document's title and its headings. */
export const TRAIL_SEPARATOR = ' > ';

interface Passage {
  headings: string[];
  text: string;
  /** Where it is in its file. */
  place: { anchor?: string; line?: number };
  links: readonly SectionLink[];
}

/**
 * The passages of a file: each stays under one heading and within `maxWords`, but for those that are too short to stand
 * alone.
 *
 * @param path as in the folder
 */
export function* passagesOf(
  path: string,
  { title = basename(path, extname(path)), sections, url, namesHeadings }: SectionedDocument,
  split: SplitTextOptions,
): Generator<Document> {
  const anchorOf = anchorsOf();
  const passages = sections.flatMap(({ headings, text, id, line, links = [] }): Passage[] => {
    const anchor = id ?? (namesHeadings && headings.length > 0 ? anchorOf(headings) : undefined);
    const parts = splitText(text, split);
    const lines =
      line === undefined ? [] : linesOf(parts, text, split.overlap ?? 0).map((at) => Math.max(1, line + at));
    return closeFences(parts).map((passage, i) => ({
      headings,
      text: passage,
      links: links.filter((link) => passage.includes(link.text)),
      place: { ...(anchor !== undefined && { anchor }), ...(line !== undefined && { line: lines[i] }) },
    }));
  });
  for (const [i, { headings, text, place, links }] of withoutTiny(passages, split.maxWords).entries()) {
    const position = i + 1;
    yield {
      id: `${idOf(path)}#${position}`,
      title: fullTitle(title, headings),
      text,
      metadata: {
        path,
        heading: headings.join(TRAIL_SEPARATOR),
        position,
        ...place,
        ...(url !== undefined && { url }),
        ...linksBetween(path, links),
      },
    };
  }
}

/** Puts passages of a single word together with the one before, or where there is none, with the one behind. */
function withoutTiny(passages: readonly Passage[], maxWords: number): Passage[] {
  const kept: Passage[] = [];
  let tiny: Passage | undefined;
  for (const passage of passages) {
    const before = kept.at(-1);
    if (before && isTiny(passage) && fits(before, passage, maxWords)) {
      kept[kept.length - 1] = { ...before, text: `${before.text}\n\n${withHeading(passage, before)}` };
    } else if (!before && tiny === undefined && isTiny(passage)) tiny = passage;
    else if (tiny !== undefined) {
      const joined = fits(tiny, passage, maxWords);
      if (joined) kept.push({ ...passage, text: `${withHeading(tiny, passage)}\n\n${passage.text}` });
      else kept.push(tiny, passage);
      tiny = undefined;
    } else kept.push(passage);
  }
  return tiny === undefined ? kept : [tiny, ...kept];
}

function isTiny({ text }: Passage): boolean {
  return wordCount(text) < FEWEST_WORDS;
}

function fits(one: Passage, other: Passage, maxWords: number): boolean {
  return wordCount(one.text) + wordCount(withHeading(other, one)) <= maxWords;
}

/** With the headings that its neighbour does not have: they are the most of what it says. */
function withHeading({ headings, text }: Passage, neighbour: Passage): string {
  const own = headings.filter((heading, i) => neighbour.headings[i] !== heading && heading !== text);
  return [...own, text].join('\n');
}

/** How many lines of a text come before each of its passages. */
function linesOf(passages: readonly string[], text: string, overlap: number): number[] {
  let [start, next, line] = [0, 0, 0];
  return passages.map((passage) => {
    const found = text.indexOf(passage, next);
    line += text.slice(start, found).split('\n').length - 1;
    start = found;
    next = overlap > 0 ? found + 1 : found + passage.length;
    return line;
  });
}

/** White space separates the columns of run files and qrels; `%` itself, so that no two paths give one id. */
function idOf(path: string): string {
  return path.replace(/[\s\p{Cc}%]/gu, (character) => encodeURIComponent(character));
}

/** Between a page's title and the site's. */
const TITLE_PARTS = /\s+[|–—·:»-]{1,2}\s+/;

/** The page's title often repeats its first headings, and one heading the other. */
function fullTitle(title: string, headings: readonly string[]): string {
  const parts = [title, ...title.split(TITLE_PARTS)].map((part) => part.toLowerCase());
  const isTold = (heading: string, i: number): boolean =>
    parts.includes(heading.toLowerCase()) || (i === 0 && title.includes(heading));
  const first = headings.findIndex((heading, i) => !isTold(heading, i));
  const own = first < 0 ? [] : headings.slice(first);
  return [title, ...own.filter((heading, i) => heading !== own[i - 1])].join(TRAIL_SEPARATOR);
}
