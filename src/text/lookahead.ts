import type { TokenizerJson } from './tokenizer-files.js';

/** A part of a `tokenizer.json`, as the library writes it. */
interface Component {
  type?: string;
  pattern?: { String?: string; Regex?: string };
  [option: string]: unknown;
}

/** Normalizers that look at one character, at what combines with it, or at the ends of the text. */
const LOCAL_NORMALIZERS = new Set([
  'BertNormalizer',
  'ByteLevel',
  'Lowercase',
  'NFC',
  'NFD',
  'NFKC',
  'NFKD',
  'Nmt',
  'Precompiled',
  'Prepend',
  'Strip',
  'StripAccents',
]);

/** Pre-tokenizers that split between two neighbours for what these are (and `ByteLevel`, for the next but one). */
const LOCAL_PRE_TOKENIZERS = new Set([
  'BertPreTokenizer',
  'ByteLevel',
  'CharDelimiterSplit',
  'Digits',
  'Metaspace',
  'Punctuation',
  'UnicodeScripts',
  'Whitespace',
  'WhitespaceSplit',
]);

/** Expressions that match spaces alone, and so nothing that a visible character is part of. */
const OF_SPACES = new Set([' {2,}', ' +', '\\s+']);

/** What is enough for all of the above: contractions, and graphemes that are mapped as a whole (6 bytes). */
const NEIGHBOURS = 32;

/**
 * How many characters after a visible one decide with it where the word ends that comes before: none of those that
 * follow them can change the tokens of that word. Undefined where that cannot be told of a tokenizer.
 */
export function lookahead({
  added_tokens,
  normalizer,
  pre_tokenizer,
  model,
}: TokenizerJson): number | undefined {
  const normalizers = flatten(normalizer);
  const preTokenizers = flatten(pre_tokenizer);
  const isKnown =
    !model.dropout &&
    preTokenizers.length > 0 &&
    normalizers.every((part) => LOCAL_NORMALIZERS.has(part.type ?? '') || replacesLocally(part)) &&
    preTokenizers.every((part) => LOCAL_PRE_TOKENIZERS.has(part.type ?? '') || splitsAtText(part));
  if (!isKnown) return undefined;
  const literals = [
    ...added_tokens.map(({ content }) => content),
    ...[...normalizers, ...preTokenizers].map(({ pattern }) => pattern?.String ?? ''),
  ];
  return Math.max(NEIGHBOURS, ...literals.map(({ length }) => 2 * length));
}

function replacesLocally({ type, pattern }: Component): boolean {
  return type === 'Replace' && (pattern?.String !== undefined || OF_SPACES.has(pattern?.Regex ?? ''));
}

function splitsAtText({ type, pattern, invert }: Component): boolean {
  return type === 'Split' && pattern?.String !== undefined && invert !== true;
}

/** The members of sequences, however deep. */
function flatten(component: Component | null | undefined): Component[] {
  if (!component) return [];
  if (component.type !== 'Sequence') return [component];
  const members = (component.normalizers ?? component.pretokenizers ?? []) as Component[];
  return members.flatMap(flatten);
}
