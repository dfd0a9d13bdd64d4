import { type TextBlock, textBlocks } from '../../text/code-blocks.js';
import { asOneLine, type Snippet } from './snippet.js';

/** Prose as it flows, or lines of a program with their indentation; and where the query's words stand in it. */
export interface SnippetPart {
  isCode: boolean;
  text: string;
  highlights: [start: number, end: number][];
}

/** Lines of code that are shown, from the one before the first word found. */
const SHOWN_LINES = 4;
/** Less prose than this beside code says nothing. */
const FEWEST_CHARACTERS = 12;

/**
 * The prose and the code of a snippet, each as it is read: code keeps its breaks and its indentation, without what all of its
 * lines have. Undefined where the snippet is prose alone.
 *
 * @param original the text that the snippet is from
 */
export function snippetParts(original: string, snippet: Snippet): SnippetPart[] | undefined {
  const { start, text, highlights } = snippet;
  if (!original.includes('```')) return undefined;
  // Where comparing words changed the text, places in it are not those of the original.
  if (asOneLine(original).slice(start, start + text.length) !== text) return undefined;
  const end = start + text.length;
  const blocks = textBlocks(original).filter((block) => block.start < end && block.end > start);
  if (!blocks.some(({ isCode }) => isCode)) return undefined;
  const marks = highlights.map(([from, to]): [number, number] => [start + from, start + to]);
  const parts: SnippetPart[] = [];
  let room = SHOWN_LINES;
  for (const block of blocks) {
    if (!block.isCode) {
      const part = prosePart(original, Math.max(start, block.start), Math.min(end, block.end), marks);
      if (part.highlights.length > 0 || part.text.length >= FEWEST_CHARACTERS) parts.push(part);
      continue;
    }
    if (room === 0) break;
    const lines = linesWithin(original, block, [start, end], marks).slice(0, room);
    room -= lines.length;
    if (lines.length > 0) parts.push(codePart(lines, marks));
  }
  return parts.some(({ isCode }) => isCode) ? parts : undefined;
}

function prosePart(
  original: string,
  from: number,
  to: number,
  marks: readonly [number, number][],
): SnippetPart {
  const raw = asOneLine(original.slice(from, to));
  const begin = from + raw.length - raw.trimStart().length;
  const text = raw.trim();
  return { isCode: false, text, highlights: within(marks, begin, text.length) };
}

interface PlacedLine {
  line: string;
  at: number;
}

/** The whole lines of a block that a window touches, from the one before the first word found in them. */
function linesWithin(
  original: string,
  block: TextBlock,
  [start, end]: [number, number],
  marks: readonly [number, number][],
): PlacedLine[] {
  const all: PlacedLine[] = [];
  let at = block.start;
  for (const line of original.slice(block.start, block.end).split('\n')) {
    all.push({ line, at });
    at += line.length + 1;
  }
  const isTouched = ({ line, at }: PlacedLine): boolean => at < end && at + line.length > start;
  const first = all.findIndex(isTouched);
  const found = marks.find(([from]) => from >= Math.max(start, block.start) && from < block.end)?.[0];
  const foundLine = found === undefined ? first : all.findLastIndex((line) => line.at <= found);
  const last = all.findLastIndex(isTouched);
  const from = Math.max(0, foundLine - 1);
  const shown = all.slice(from, Math.max(last + 1, from + SHOWN_LINES));
  while (shown[0]?.line.trim() === '') shown.shift();
  return shown;
}

function codePart(lines: readonly PlacedLine[], marks: readonly [number, number][]): SnippetPart {
  const filled = lines.filter(({ line }) => line.trim() !== '');
  const common = Math.min(...filled.map(({ line }) => line.length - line.trimStart().length));
  const highlights: [number, number][] = [];
  let text = '';
  for (const { line, at } of lines) {
    const kept = line.slice(common).trimEnd();
    for (const [from, to] of within(marks, at + common, kept.length)) {
      highlights.push([text.length + from, text.length + to]);
    }
    text += `${kept}\n`;
  }
  return { isCode: true, text: text.trimEnd(), highlights };
}

/** The marks that lie in a stretch, counted from its beginning. */
function within(marks: readonly [number, number][], start: number, length: number): [number, number][] {
  return marks
    .map(([from, to]): [number, number] => [from - start, to - start])
    .filter(([from, to]) => from >= 0 && to <= length);
}
