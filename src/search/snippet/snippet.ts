import { type Analyzer, tokensOf } from '../../text/analyzers/index.js';

/** Part of a text to show for a query. */
export interface Snippet {
  text: string;
  /** Where the snippet begins in the text it is from. */
  start: number;
  /** Whether text was left out before and after. */
  cut: { before: boolean; after: boolean };
  /** [start, end) of the query's words, within the snippet. */
  highlights: [start: number, end: number][];
}

/** What is looked for in a text. */
export interface QueryTerms {
  /** How words are compared. */
  readonly analyzer: Analyzer;
  /** The query's terms and how much each counts. */
  readonly terms: ReadonlyMap<string, number>;
}

export interface SnippetOptions extends QueryTerms {
  /** Characters at most. Default 240. */
  length?: number;
}

const DEFAULT_LENGTH = 240;
/** Of longer texts only the beginning is looked at: a snippet is to be quick. */
const SEARCHED_CHARACTERS = 200_000;
/** What a repeated term counts, against its first appearance in the window. */
const REPETITION = 0.1;
/** How much of the space left over goes before the first word found. */
const LEAD = 1 / 3;

interface Match {
  start: number;
  end: number;
  term: string;
}

/**
 * The part of a text in which most of a query's terms stand together, compared as the index compares them ("running"
 * finds "runs"); the beginning of the text where none does.
 *
 * @example
 * const { text, highlights } = makeSnippet(document.text, { analyzer: englishAnalyzer, terms: new Map([['run', 1]]) });
 */
export function makeSnippet(original: string, options: SnippetOptions): Snippet {
  const { analyzer, terms, length = DEFAULT_LENGTH } = options;
  // Normalising may change lengths; offsets then belong to the normalised text, which is what is shown.
  const text = asOneLine(analyzer.prepare(original.slice(0, SEARCHED_CHARACTERS)));
  const matches = findMatches(text, analyzer, terms);
  const window = bestWindow(matches, terms, length);
  const [start, end] = window ? around(text, window, length) : [0, wordEnd(text, length)];
  return {
    text: text.slice(start, end),
    start,
    cut: { before: start > 0, after: end < text.length || original.length > SEARCHED_CHARACTERS },
    highlights: merged(matches.filter((match) => match.start >= start && match.end <= end)).map(
      ([from, to]) => [from - start, to - start],
    ),
  };
}

/** A text as one line of the same length, without the marks that stand around code. */
export function asOneLine(text: string): string {
  return text.replace(/^```.*$/gm, (mark) => ' '.repeat(mark.length)).replace(/\s/g, ' ');
}

function findMatches(text: string, analyzer: Analyzer, terms: ReadonlyMap<string, number>): Match[] {
  const spans = tokensOf(analyzer, text);
  const matches: Match[] = [];
  for (let i = 0; i < spans.count; i++) {
    const [start, end] = [spans.starts[i], spans.ends[i]];
    const term = analyzer.term(text.slice(start, end));
    if (term !== undefined && terms.has(term)) matches.push({ start, end, term });
  }
  return matches;
}

/** The run of matches within `length` characters that counts most; of equals the first. */
function bestWindow(
  matches: readonly Match[],
  terms: ReadonlyMap<string, number>,
  length: number,
): [start: number, end: number] | undefined {
  let best: [number, number] | undefined;
  let bestValue = 0;
  const inside = new Map<string, number>();
  let value = 0;
  let first = 0;
  const change = ({ term }: Match, by: 1 | -1): void => {
    const before = inside.get(term) ?? 0;
    inside.set(term, before + by);
    const repeated = Math.min(before, before + by) > 0;
    value += by * (repeated ? REPETITION : 1) * (terms.get(term) ?? 0);
  };
  for (const match of matches) {
    change(match, 1);
    while (match.end - matches[first].start > length && matches[first] !== match)
      change(matches[first++], -1);
    // Sums that come and go are not exact: only a real gain moves the window.
    if (value > bestValue + 1e-9) {
      bestValue = value;
      best = [matches[first].start, match.end];
    }
  }
  return best;
}

/** Widens a window to `length` characters, from the start of a word to the end of one. */
function around(text: string, [from, to]: [number, number], length: number): [number, number] {
  const spare = Math.max(0, length - (to - from));
  let start = Math.max(0, from - Math.floor(spare * LEAD));
  // Near the end of the text the space goes before the window instead.
  start = Math.max(0, Math.min(start, text.length - length));
  if (start > 0) {
    const blank = text.indexOf(' ', start - 1);
    if (blank >= 0 && blank < from) start = blank + 1;
  }
  return [start, Math.max(to, wordEnd(text, start + length))];
}

/** The last place up to `end` where a word has ended. */
function wordEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const blank = text.lastIndexOf(' ', end);
  return blank > end / 2 ? blank : safeEnd(text, end);
}

/** Does not cut a surrogate pair. */
function safeEnd(text: string, end: number): number {
  return (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end;
}

/** Bigrams of Chinese, Japanese and Korean overlap. */
function merged(matches: readonly Match[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const { start, end } of matches) {
    const last = ranges.at(-1);
    if (last && start <= last[1] && start >= last[0]) last[1] = Math.max(last[1], end);
    else ranges.push([start, end]);
  }
  return ranges;
}
