/**
 * Porter's stemmer (M. F. Porter, 1980, "An algorithm for suffix stripping"), with the two departures that
 * Porter's own program, and after it Lucene's PorterStemFilter, made: -bli → -ble and -logi → -log.
 * Characters other than a, e, i, o, u and y count as consonants.
 *
 * @example
 * porterStem('relational'); // 'relat'
 */
export function porterStem(word: string): string {
  if (word.length < 3) return word;
  let stem = step1a(word);
  stem = step1b(stem);
  stem = step1c(stem);
  stem = replaceSuffix(stem, stem.at(-2), STEP_2);
  stem = replaceSuffix(stem, stem.at(-1), STEP_3);
  stem = step4(stem);
  return step5(stem);
}

/** Suffix rules by the letter that tells them apart; in each list the first suffix that matches decides. */
type Rules = Record<string, [suffix: string, replacement: string][]>;

/** Keyed by the last letter but one. */
const STEP_2: Rules = {
  a: [
    ['ational', 'ate'],
    ['tional', 'tion'],
  ],
  c: [
    ['enci', 'ence'],
    ['anci', 'ance'],
  ],
  e: [['izer', 'ize']],
  l: [
    ['bli', 'ble'],
    ['alli', 'al'],
    ['entli', 'ent'],
    ['eli', 'e'],
    ['ousli', 'ous'],
  ],
  o: [
    ['ization', 'ize'],
    ['ation', 'ate'],
    ['ator', 'ate'],
  ],
  s: [
    ['alism', 'al'],
    ['iveness', 'ive'],
    ['fulness', 'ful'],
    ['ousness', 'ous'],
  ],
  t: [
    ['aliti', 'al'],
    ['iviti', 'ive'],
    ['biliti', 'ble'],
  ],
  g: [['logi', 'log']],
};

/** Keyed by the last letter. */
const STEP_3: Rules = {
  e: [
    ['icate', 'ic'],
    ['ative', ''],
    ['alize', 'al'],
  ],
  i: [['iciti', 'ic']],
  l: [
    ['ical', 'ic'],
    ['ful', ''],
  ],
  s: [['ness', '']],
};

/** Keyed by the last letter but one; `ion` counts only after s or t. */
const STEP_4: Record<string, string[]> = {
  a: ['al'],
  c: ['ance', 'ence'],
  e: ['er'],
  i: ['ic'],
  l: ['able', 'ible'],
  n: ['ant', 'ement', 'ment', 'ent'],
  o: ['sion', 'tion', 'ou'],
  s: ['ism'],
  t: ['ate', 'iti'],
  u: ['ous'],
  v: ['ive'],
  z: ['ize'],
};

/** Plurals: caresses → caress, ponies → poni, cats → cat. */
function step1a(word: string): string {
  if (!word.endsWith('s')) return word;
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('ss') ? word : word.slice(0, -1);
}

/** -eed, -ed and -ing: agreed → agree, plastered → plaster, hopping → hop, filing → file. */
function step1b(word: string): string {
  if (word.endsWith('eed')) return measure(word, word.length - 3) > 0 ? word.slice(0, -1) : word;
  const suffix = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  const length = word.length - suffix;
  if (suffix === 0 || !hasVowel(word, length)) return word;
  const stem = word.slice(0, length);
  if (stem.endsWith('at') || stem.endsWith('bl') || stem.endsWith('iz')) return `${stem}e`;
  if (endsInDoubleConsonant(stem)) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1);
  return measure(stem, length) === 1 && endsInShortSyllable(stem, length) ? `${stem}e` : stem;
}

/** happy → happi, sky → sky. */
function step1c(word: string): string {
  return word.endsWith('y') && hasVowel(word, word.length - 1) ? `${word.slice(0, -1)}i` : word;
}

function replaceSuffix(word: string, key: string | undefined, rules: Rules): string {
  for (const [suffix, replacement] of rules[key ?? ''] ?? []) {
    if (!word.endsWith(suffix)) continue;
    const length = word.length - suffix.length;
    return measure(word, length) > 0 ? word.slice(0, length) + replacement : word;
  }
  return word;
}

/** Drops -al, -ance, -ement… from long stems: revival → reviv, adoption → adopt. */
function step4(word: string): string {
  const suffix = STEP_4[word.at(-2) ?? '']?.find((candidate) => word.endsWith(candidate));
  if (suffix === undefined) return word;
  const length = word.length - (suffix.endsWith('ion') ? 3 : suffix.length);
  return measure(word, length) > 1 ? word.slice(0, length) : word;
}

/** A final e, and one l of a final -ll: probate → probat, controll → control. */
function step5(word: string): string {
  let length = word.length;
  if (word.endsWith('e')) {
    const syllables = measure(word, length);
    if (syllables > 1 || (syllables === 1 && !endsInShortSyllable(word, length - 1))) length--;
  }
  const stem = word.slice(0, length);
  return stem.endsWith('ll') && measure(stem, length) > 1 ? stem.slice(0, -1) : stem;
}

function isConsonant(word: string, at: number): boolean {
  switch (word.charCodeAt(at)) {
    case 0x61: // a
    case 0x65: // e
    case 0x69: // i
    case 0x6f: // o
    case 0x75: // u
      return false;
    case 0x79: // y: a vowel after a consonant
      return at === 0 || !isConsonant(word, at - 1);
    default:
      return true;
  }
}

/** Porter's m of the first `length` letters: how many times a vowel sequence is followed by a consonant. */
function measure(word: string, length: number): number {
  let turns = 0;
  for (let at = 1; at < length; at++) {
    if (isConsonant(word, at) && !isConsonant(word, at - 1)) turns++;
  }
  return turns;
}

function hasVowel(word: string, length: number): boolean {
  for (let at = 0; at < length; at++) if (!isConsonant(word, at)) return true;
  return false;
}

function endsInDoubleConsonant(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word[last] === word[last - 1] && isConsonant(word, last);
}

/** Porter's *o: consonant, vowel, consonant other than w, x, y. */
function endsInShortSyllable(word: string, length: number): boolean {
  const last = length - 1;
  return (
    last >= 2 &&
    isConsonant(word, last) &&
    !isConsonant(word, last - 1) &&
    isConsonant(word, last - 2) &&
    !'wxy'.includes(word[last])
  );
}
