import { asOneLine, type Snippet } from '../../../search/snippet.js';

/** A line of a program to show, and where the query's words stand in it. */
export interface CodeLine {
  text: string;
  highlights: [start: number, end: number][];
}

const FENCE = /^```/;
/** Lines that are shown, from the one before the first word found. */
const SHOWN = 4;
const BEFORE = 1;

/**
 * The lines of a program around the first word that was found, where that stands in one: they keep their breaks and their
 * indentation, without what all of them have. Undefined where the snippet is prose.
 */
export function codeLines(original: string, snippet: Snippet, room: number): CodeLine[] | undefined {
  const { start, text, highlights } = snippet;
  // Where comparing words changed the text, places in it are not those of the original.
  if (asOneLine(original).slice(start, start + text.length) !== text) return undefined;
  const found = start + (highlights[0]?.[0] ?? 0);
  const block = blockAt(original, found);
  if (block === undefined) return undefined;
  const first = Math.max(0, block.findLastIndex(({ at }) => at <= found) - BEFORE);
  const shown = block.slice(first, first + SHOWN);
  while (shown[0]?.line.trim() === '') shown.shift();
  const common = Math.min(
    ...shown.filter(({ line }) => line.trim() !== '').map(({ line }) => indentOf(line)),
  );
  return shown.map(({ line, at }) => {
    const from = at + common;
    const kept = line.slice(common, common + room);
    const marked = highlights
      .map(([begin, end]): [number, number] => [start + begin - from, start + end - from])
      .filter(([begin, end]) => begin >= 0 && end <= kept.length);
    return { text: kept, highlights: marked };
  });
}

interface PlacedLine {
  line: string;
  at: number;
}

/** The lines of the program that a place is in. */
function blockAt(text: string, place: number): PlacedLine[] | undefined {
  let block: PlacedLine[] | undefined;
  let at = 0;
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) {
      if (block?.some((own) => own.at <= place && place <= own.at + own.line.length)) return block;
      block = block === undefined ? [] : undefined;
    } else block?.push({ line, at });
    at += line.length + 1;
  }
  return undefined;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
