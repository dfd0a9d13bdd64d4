/** A stretch of a text. */
export interface TextSpan {
  start: number;
  /** One past the last UTF-16 code unit. */
  end: number;
}

/**
 * Where a sentence may end: marks that are followed by white space, those of Chinese and Japanese wherever they stand, blank
 * lines, and lines that begin with the mark of a list. Closing quotes and brackets belong to the sentence.
 */
const END =
  /[.!?…]+["'”’»)\]]*(?=\s|$)|[。！？｡．]+["'”’」』）)】]*|\n[^\S\n]*(?:\n\s*|(?=(?:[-*•+]|\d{1,3}[.)])\s))/gu;
const CJK_MARK = /[。！？｡．]/;

/** After these a full stop ends no sentence. */
const ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr prof st jr sr vs etc fig figs eq eqs ref refs sec secs no nos vol pp p ed eds al cf ca approx dept est inc ltd co ' +
    'corp gen col sgt capt rev hon jan feb mar apr jun jul aug sep sept oct nov dec e.g i.e u.s u.k a.m p.m ph.d'
  ).split(' '),
);
const LAST_WORD = /(?:^|[\s("'“‘[])([^\s("'“‘[]+)$/u;
/** What a sentence begins with; after a full stop that stands apart ("made . the") anything does. */
const BEGINNING = /^\s*["'“‘«([]*[\p{Lu}\p{Lt}\p{Lo}\p{N}`#<$*•-]/u;

/**
 * The sentences of a text, in English and other languages that end them with a full stop, and in Chinese and Japanese. Without
 * the white space around them; together they hold every character that is not white space.
 *
 * @example
 * const text = 'Dr. No came. 他走了。好！';
 * sentenceSpans(text).map(({ start, end }) => text.slice(start, end)); // ['Dr. No came.', '他走了。', '好！']
 */
export function sentenceSpans(text: string): TextSpan[] {
  const spans: TextSpan[] = [];
  let from = 0;
  const push = (end: number): void => {
    const span = trimmed(text, from, end);
    if (span.end > span.start) spans.push(span);
    from = end;
  };
  for (const { index, 0: mark } of text.matchAll(END)) {
    const end = index + mark.length;
    if (mark.trim() === '' || CJK_MARK.test(mark) || endsSentence(text, from, index, end)) push(end);
  }
  push(text.length);
  return spans;
}

function endsSentence(text: string, from: number, mark: number, end: number): boolean {
  if (end >= text.length) return true;
  const before = text.slice(from, mark);
  if (before === '' || /\s$/.test(before)) return true;
  if (!BEGINNING.test(text.slice(end, end + 20))) return false;
  if (text[mark] !== '.' || end - mark > 1) return true;
  const word = LAST_WORD.exec(before.slice(-40))?.[1] ?? '';
  // Initials: "J. Smith"; a lone number is that of a list.
  return !(ABBREVIATIONS.has(word.toLowerCase()) || /^\p{Lu}$/u.test(word) || before.trim() === word);
}

function trimmed(text: string, start: number, end: number): TextSpan {
  let [from, to] = [start, end];
  while (from < to && /\s/.test(text[from])) from++;
  while (to > from && /\s/.test(text[to - 1])) to--;
  return { start: from, end: to };
}
