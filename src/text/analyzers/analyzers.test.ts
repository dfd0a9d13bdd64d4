import fc from 'fast-check';
import { stemmer } from 'stemmer';
import { expect, test } from 'vitest';
import { analyze, analyzerFor, cjkAnalyzer, englishAnalyzer, porterStem, unicodeAnalyzer } from './index.js';

const words = (text: string) => analyze(unicodeAnalyzer, text);

// Pairs from the paper's own examples, and words where implementations go wrong.
const PORTER = {
  caresses: 'caress',
  ponies: 'poni',
  ties: 'ti',
  caress: 'caress',
  cats: 'cat',
  feed: 'feed',
  agreed: 'agre',
  plastered: 'plaster',
  bled: 'bled',
  motoring: 'motor',
  sing: 'sing',
  conflated: 'conflat',
  troubled: 'troubl',
  sized: 'size',
  hopping: 'hop',
  tanned: 'tan',
  falling: 'fall',
  hissing: 'hiss',
  fizzed: 'fizz',
  failing: 'fail',
  filing: 'file',
  happy: 'happi',
  sky: 'sky',
  relational: 'relat',
  conditional: 'condit',
  rational: 'ration',
  valenci: 'valenc',
  hesitanci: 'hesit',
  digitizer: 'digit',
  conformabli: 'conform',
  radicalli: 'radic',
  differentli: 'differ',
  vileli: 'vile',
  analogousli: 'analog',
  vietnamization: 'vietnam',
  predication: 'predic',
  operator: 'oper',
  feudalism: 'feudal',
  decisiveness: 'decis',
  hopefulness: 'hope',
  callousness: 'callous',
  formaliti: 'formal',
  sensitiviti: 'sensit',
  sensibiliti: 'sensibl',
  triplicate: 'triplic',
  formative: 'form',
  formalize: 'formal',
  electriciti: 'electr',
  electrical: 'electr',
  hopeful: 'hope',
  goodness: 'good',
  revival: 'reviv',
  allowance: 'allow',
  inference: 'infer',
  airliner: 'airlin',
  gyroscopic: 'gyroscop',
  adjustable: 'adjust',
  defensible: 'defens',
  irritant: 'irrit',
  replacement: 'replac',
  adjustment: 'adjust',
  dependent: 'depend',
  adoption: 'adopt',
  homologou: 'homolog',
  communism: 'commun',
  activate: 'activ',
  angulariti: 'angular',
  homologous: 'homolog',
  effective: 'effect',
  bowdlerize: 'bowdler',
  probate: 'probat',
  rate: 'rate',
  cease: 'ceas',
  controll: 'control',
  roll: 'roll',
  possibly: 'possibl',
  psychology: 'psycholog',
  yes: 'ye',
  says: 'sai',
  as: 'as',
  ion: 'ion',
  aed: 'a',
  eed: 'eed',
  ies: 'i',
  generalizations: 'gener',
};

test.each(Object.entries(PORTER))('stems %s to %s', (word, stem) => expect(porterStem(word)).toBe(stem));

test('stems as an independent implementation does', () => {
  const part = fc.constantFrom(
    ...'a e i o u y b c l r s st t tr v w x z sh nn ll ss at bl iz ing ed eed es ies sses al ance ence er ic'.split(
      ' ',
    ),
    ...'able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize ational tional enci anci izer'.split(
      ' ',
    ),
    ...'bli alli entli eli ousli ization ator alism iveness fulness ousness aliti iviti biliti logi icate ful'.split(
      ' ',
    ),
  );
  // The other implementation wants a letter before some suffixes, so words start with one syllable.
  const word = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `tab${parts.join('')}`);
  fc.assert(
    fc.property(word, (made) => {
      expect(porterStem(made)).toBe(stemmer(made));
    }),
    { numRuns: 2000 },
  );
});

test('finds words as UAX #29 does', () => {
  expect(words('The quick (“brown”) fox can’t jump 32.3 feet, right?')).toEqual([
    'the',
    'quick',
    'brown',
    'fox',
    'can’t',
    'jump',
    '32.3',
    'feet',
    'right',
  ]);
  expect(words("don't U.S.A. 1,000;2 foo_bar __ a.1 1.a x:y IL-2")).toEqual([
    "don't",
    'u.s.a',
    '1,000;2',
    'foo_bar',
    'a',
    '1',
    '1',
    'a',
    'x:y',
    'il',
    '2',
  ]);
  expect(words('naïve cafe\u0301s Ünïcödé Ελλάδα Привет')).toEqual([
    'naïve',
    'cafe\u0301s',
    'ünïcödé',
    'ελλάδα',
    'привет',
  ]);
  expect(words('β-catenin α2 10⁻³ µm')).toEqual(['β', 'catenin', 'α2', '10', 'µm']);
});

test('finds words of scripts without spaces, Hebrew quotes and emoji', () => {
  expect(words('我是中国人')).toEqual(['我', '是', '中', '国', '人']);
  expect(words('ひらカタカナ漢字')).toEqual(['ひ', 'ら', 'カタカナ', '漢', '字']);
  expect(words('안녕하세요 한글입니다')).toEqual(['안녕하세요', '한글입니다']);
  expect(words('การที่ได้ ab')).toEqual(['การที่ได้', 'ab']);
  expect(words('צה"ל ג\' abc"d')).toEqual(['צה"ל', "ג'", 'abc', 'd']);
  expect(words('go 👩‍❤️‍👩 👍🏽👍 🇩🇪🇫🇷!')).toEqual(['go', '👩‍❤️‍👩', '👍🏽', '👍', '🇩🇪', '🇫🇷']);
  expect(words('𝒳 𠮷野 \ud800a b\udc00')).toEqual(['𝒳', '𠮷', '野', 'a', 'b']);
});

test('cuts words longer than 255 characters', () => {
  expect(words('x'.repeat(600)).map((word) => word.length)).toEqual([255, 255, 90]);
});

test('agrees with Intl.Segmenter on ordinary text', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  // The annex's colon was taken out of MidLetter by CLDR, so it is left out here.
  const piece = fc.constantFrom(
    ...'a bc 12 3 . , \' ’ ; _ - ( é ß я 0 \u0301 " / % $ + αβ א ב'.split(' '),
    ' ',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      const expected = [...segmenter.segment(text)]
        .map((part) => part.segment)
        .filter((segment) => /[\p{L}\p{N}]/u.test(segment))
        .map((segment) => segment.toLowerCase());
      expect(words(text)).toEqual(expected);
    }),
    { numRuns: 3000 },
  );
});

test('English: possessives, case, stop words and stems, in Lucene’s order', () => {
  expect(
    analyze(englishAnalyzer, "The Dog's bones aren't THESE: 0-dimensional biomaterials show O'Neil’s IT's"),
  ).toEqual(['dog', 'bone', "aren't", '0', 'dimension', 'biomateri', 'show', "o'neil"]);
});

test('Chinese, Japanese and Korean: bigrams, lone characters, Latin words, widths', () => {
  expect(analyze(cjkAnalyzer, '我是中国人。好 the Node20')).toEqual([
    '我是',
    '是中',
    '中国',
    '国人',
    '好',
    'node20',
  ]);
  expect(analyze(cjkAnalyzer, 'カタカナとｶﾞｽ 한글')).toEqual([
    'カタ',
    'タカ',
    'カナ',
    'ナと',
    'とガ',
    'ガス',
    '한글',
  ]);
  expect(analyze(cjkAnalyzer, 'ＡＢＣ１ 𠮷野家')).toEqual(['abc1', '𠮷野', '野家']);
});

test('never fails and never returns an empty term', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const language of ['en', 'unicode', 'cjk']) {
        expect(analyze(analyzerFor(language), text)).not.toContain('');
      }
    }),
  );
});

test('names an unknown language and the known ones', () => {
  expect(() => analyzerFor('klingon')).toThrow('expected one of en, unicode, cjk, got "klingon"');
});
