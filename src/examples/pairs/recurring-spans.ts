import { englishAnalyzer } from '../../text/analyzers/english.js';
import { wordSpans } from '../../text/words.js';

/** A piece of a text with its words. */
export interface Piece {
  text: string;
  words: readonly { start: number; end: number }[];
  /** The words in lower case, which is how they are compared. */
  lower: readonly string[];
}

/** A span of words in a piece. */
export interface SpanPlace {
  piece: number;
  first: number;
}

/** A span that several pieces have. */
export interface RecurringSpan {
  length: number;
  places: readonly SpanPlace[];
}

/** Words that hold others together: at the ends of a span they belong to the sentence and not to what is named. */
const CJK_FUNCTION_WORDS = new Set(
  '的 了 是 在 和 与 與 及 或 也 都 就 而 但 被 把 对 對 从 從 到 以 为 為 于 於 之 其 这 這 那 有 不 个 個 の は が を に で と も へ や から まで です ます た だ'.split(
    ' ',
  ),
);
const WORD = /^[\p{L}\p{M}\p{N}]+$/u;
const UPPER = /^\p{Lu}/u;
const YEAR = /^\d{4}$/;

export function pieceOf(text: string): Piece {
  const words = wordSpans(text);
  return { text, words, lower: words.map(({ start, end }) => text.slice(start, end).toLowerCase()) };
}

/**
 * Spans of `least` to `most` words that recur in two pieces or more (Ram et al. 2022): all words are letters or digits, the first
 * and the last are no function words; a single word counts if it is a name or a year. One inside a longer span with the same
 * places is left out.
 */
export function recurringSpans(
  pieces: readonly Piece[],
  { least, most }: { least: number; most: number },
): RecurringSpan[] {
  const found: RecurringSpan[] = [];
  /** By piece and first word: how often the spans recur that cover this place. */
  const covered = pieces.map(({ words }) => words.map(() => [] as { end: number; count: number }[]));
  for (let length = most; length >= least; length--) {
    for (const places of recurring(pieces, length).values()) {
      if (new Set(places.map(({ piece }) => piece)).size < 2) continue;
      const inside = places.every(({ piece, first }) =>
        covered[piece][first].some(({ end, count }) => end >= first + length && count === places.length),
      );
      if (inside) continue;
      found.push({ length, places });
      for (const { piece, first } of places) {
        for (let word = first; word < first + length; word++) {
          covered[piece][word].push({ end: first + length, count: places.length });
        }
      }
    }
  }
  return found;
}

/** The places of each span of a length that may be one. */
function recurring(pieces: readonly Piece[], length: number): Map<string, SpanPlace[]> {
  const places = new Map<string, SpanPlace[]>();
  pieces.forEach((piece, number) => {
    for (let first = 0; first + length <= piece.lower.length; first++) {
      if (!isSpan(piece, first, length)) continue;
      const key = piece.lower.slice(first, first + length).join(' ');
      const known = places.get(key);
      if (!known) places.set(key, [{ piece: number, first }]);
      // A span that overlaps with itself ("a b a b a") counts once.
      else if (known.at(-1)!.piece !== number || known.at(-1)!.first + length <= first)
        known.push({ piece: number, first });
    }
  });
  return places;
}

function isSpan({ text, words, lower }: Piece, first: number, length: number): boolean {
  const last = first + length - 1;
  if (isFunctionWord(lower[first]) || isFunctionWord(lower[last])) return false;
  for (let i = first; i <= last; i++) if (!WORD.test(lower[i])) return false;
  if (length > 1) return true;
  const { start, end } = words[first];
  const word = text.slice(start, end);
  return YEAR.test(word) || (UPPER.test(word) && end - start > 2);
}

function isFunctionWord(word: string): boolean {
  return englishAnalyzer.term(word) === undefined || CJK_FUNCTION_WORDS.has(word);
}
