import { CharacterClass, characterClass } from './character-class.js';
import { type CodeUnits, codePointAt, widthAt } from './code-units.js';
import type { TokenSpans } from './token-spans.js';

const {
  Letter,
  Hebrew,
  Numeric,
  Katakana,
  Connector,
  MidLetter,
  MidNumber,
  MidLetterOrNumber,
  SingleQuote,
  DoubleQuote,
  Extend,
  Han,
  Hiragana,
  SouthEastAsian,
  Emoji,
  RegionalIndicator,
} = CharacterClass;

const SPACE = 0x20;
const ZERO_WIDTH_JOINER = 0x200d;
const PICTOGRAPH = /\p{Extended_Pictographic}/u;

/**
 * Finds the words of a text by the rules of Unicode Standard Annex #29, as Lucene's StandardTokenizer does:
 * words and numbers with their inner punctuation (`can't`, `3.14`, `U.S.A`), Han and Hiragana character by
 * character, runs of Katakana, Hangul or South-East Asian script, and emoji.
 */
export function scanWords(text: CodeUnits, spans: TokenSpans): void {
  spans.count = 0;
  const length = text.length;
  let at = 0;
  while (at < length) {
    const code = text[at];
    // A space or a punctuation mark: most of what is between words.
    if (code < 0x30) {
      at++;
      continue;
    }
    const start = at;
    switch (classAt(text, at)) {
      case Letter:
      case Hebrew:
      case Numeric:
      case Katakana:
      case Connector:
        at = scanWord(text, start);
        if (at < 0) at = -at;
        else spans.add(start, at);
        break;
      case Han:
      case Hiragana:
        at = skipExtend(text, at + widthAt(text, at));
        spans.add(start, at);
        break;
      case SouthEastAsian:
        do at = skipExtend(text, at + widthAt(text, at));
        while (at < length && classAt(text, at) === SouthEastAsian);
        spans.add(start, at);
        break;
      case Emoji:
        at = scanEmoji(text, at);
        spans.add(start, at);
        break;
      case RegionalIndicator:
        at += widthAt(text, at);
        if (at < length && classAt(text, at) === RegionalIndicator) at += widthAt(text, at);
        spans.add(start, at);
        break;
      default:
        at += widthAt(text, at);
    }
  }
}

/** The end of the word that starts at `start`, negative where it holds connectors (`___`) and nothing else. */
function scanWord(text: CodeUnits, start: number): number {
  const length = text.length;
  let before = classAt(text, start);
  let isWord = before !== Connector;
  let at = start + widthAt(text, start);
  while (at < length) {
    const code = text[at];
    // ASCII letters continue any word but a Katakana one: the path that nearly all English takes.
    if (((code | 0x20) - 0x61) >>> 0 < 26 && before !== Katakana) {
      before = Letter;
      isWord = true;
      at++;
      continue;
    }
    if (code === SPACE) break;
    const here = classAt(text, at);
    const next = at + widthAt(text, at);
    if (here === Extend) {
      at = next;
    } else if (joins(before, here)) {
      before = here;
      isWord ||= here !== Connector;
      at = next;
    } else {
      const after = skipExtend(text, next);
      if (!bridges(before, here, after < length ? classAt(text, after) : 0)) break;
      at = after;
      if (before === Hebrew && here === SingleQuote && !isLetter(at < length ? classAt(text, at) : 0)) break;
    }
  }
  return isWord ? at : -at;
}

/** Rules WB5, WB8–WB10, WB13–WB13b: no break between the two. */
function joins(before: number, here: number): boolean {
  if (here === Connector) return true;
  if (before === Connector) return isAlphanumeric(here) || here === Katakana;
  if (here === Katakana) return before === Katakana;
  return isAlphanumeric(before) && isAlphanumeric(here);
}

/** Rules WB6–WB7c, WB11–WB12: punctuation between two letters or two digits that does not break them apart. */
function bridges(before: number, here: number, after: number): boolean {
  if (isLetter(before) && (here === MidLetter || here === MidLetterOrNumber || here === SingleQuote)) {
    return isLetter(after) || (before === Hebrew && here === SingleQuote);
  }
  if (before === Numeric && (here === MidNumber || here === MidLetterOrNumber || here === SingleQuote)) {
    return after === Numeric;
  }
  return before === Hebrew && here === DoubleQuote && after === Hebrew;
}

function isLetter(found: number): boolean {
  return found === Letter || found === Hebrew;
}

function isAlphanumeric(found: number): boolean {
  return found === Letter || found === Numeric || found === Hebrew;
}

/** An emoji with its modifiers, and those joined to it by zero-width joiners. */
function scanEmoji(text: CodeUnits, start: number): number {
  let at = start;
  do at = skipExtend(text, at + widthAt(text, at));
  while (text[at - 1] === ZERO_WIDTH_JOINER && at < text.length && isPictograph(codePointAt(text, at)));
  return at;
}

function isPictograph(codePoint: number): boolean {
  return PICTOGRAPH.test(String.fromCodePoint(codePoint));
}

function skipExtend(text: CodeUnits, from: number): number {
  let at = from;
  while (at < text.length && classAt(text, at) === Extend) at += widthAt(text, at);
  return at;
}

function classAt(text: CodeUnits, at: number): number {
  return characterClass(codePointAt(text, at));
}
