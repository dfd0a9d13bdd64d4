import { englishAnalyzer } from '../../text/analyzers/english.js';
import { wordSpans } from '../../text/words.js';

/** A piece of a text with its words. */
export interface Piece {
  text: string;
  words: readonly { start: number; end: number }[];
  /** The words in lower case, which is how they are compared. */
  lower: readonly string[];
  /** They with a blank before and behind each. */
  joined: string;
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
  const lower = words.map(({ start, end }) => text.slice(start, end).toLowerCase());
  return { text, words, lower, joined: ` ${lower.join(' ')} ` };
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
  const longest = longestRecurring(pieces);
  const functionWords = new Map<string, boolean>();
  /** By piece and first word: how often the spans recur that cover this place. */
  const covered = pieces.map(({ words }) => words.map(() => [] as { end: number; count: number }[]));
  for (let length = most; length >= least; length--) {
    for (const places of recurring(pieces, { length, longest, functionWords }).values()) {
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

/**
 * For each word how long a span that begins there and recurs can be at most: it ends before what is no word, and before two
 * words that stand together nowhere else. Few places are left of a text, so that not all of its spans are compared.
 */
function longestRecurring(pieces: readonly Piece[]): Int32Array[] {
  const pairs = new Map<string, number>();
  const pairAt = ({ lower }: Piece, word: number): string => `${lower[word]} ${lower[word + 1]}`;
  for (const piece of pieces) {
    for (let word = 0; word + 1 < piece.lower.length; word++) {
      const pair = pairAt(piece, word);
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    }
  }
  return pieces.map((piece) => {
    const longest = new Int32Array(piece.lower.length);
    for (let word = longest.length - 1; word >= 0; word--) {
      if (!WORD.test(piece.lower[word])) continue;
      const goesOn = word + 1 < longest.length && pairs.get(pairAt(piece, word))! > 1;
      longest[word] = 1 + (goesOn ? longest[word + 1] : 0);
    }
    return longest;
  });
}

interface Candidates {
  length: number;
  longest: readonly Int32Array[];
  /** Grows with what was looked up. */
  functionWords: Map<string, boolean>;
}

/** The places of each span of a length that may be one. */
function recurring(
  pieces: readonly Piece[],
  { length, longest, functionWords }: Candidates,
): Map<string, SpanPlace[]> {
  const isFunction = (word: string): boolean => {
    const known = functionWords.get(word) ?? isFunctionWord(word);
    functionWords.set(word, known);
    return known;
  };
  const places = new Map<string, SpanPlace[]>();
  pieces.forEach((piece, number) => {
    const { lower } = piece;
    for (let first = 0; first + length <= lower.length; first++) {
      if (longest[number][first] < length || isFunction(lower[first])) continue;
      if (length > 1 ? isFunction(lower[first + length - 1]) : !isNamed(piece, first)) continue;
      const key = lower.slice(first, first + length).join(' ');
      const known = places.get(key);
      if (!known) places.set(key, [{ piece: number, first }]);
      // A span that overlaps with itself ("a b a b a") counts once.
      else if (known.at(-1)!.piece !== number || known.at(-1)!.first + length <= first)
        known.push({ piece: number, first });
    }
  });
  return places;
}

/** Whether a word is a name or a year. */
function isNamed({ text, words }: Piece, word: number): boolean {
  const { start, end } = words[word];
  const own = text.slice(start, end);
  return YEAR.test(own) || (UPPER.test(own) && end - start > 2);
}

function isFunctionWord(word: string): boolean {
  return englishAnalyzer.term(word) === undefined || CJK_FUNCTION_WORDS.has(word);
}
