/**
 * Word_Break classes of Unicode Standard Annex #29, as far as finding words needs them. JavaScript has no
 * regular expression for Word_Break, so the classes are derived from the properties the annex defines them by.
 */
export const CharacterClass = {
  Other: 1,
  Letter: 2,
  Hebrew: 3,
  Numeric: 4,
  Katakana: 5,
  /** The underscore and its kin: joins words, is none by itself. */
  Connector: 6,
  MidLetter: 7,
  MidNumber: 8,
  MidLetterOrNumber: 9,
  SingleQuote: 10,
  DoubleQuote: 11,
  /** Combining marks, format characters and joiners: belong to the character before them (rule WB4). */
  Extend: 12,
  Han: 13,
  Hiragana: 14,
  /** Thai, Lao, Khmer, Myanmar…: written without spaces; a run is one word. */
  SouthEastAsian: 15,
  Emoji: 16,
  RegionalIndicator: 17,
} as const;

const UNKNOWN = 0;

/** Filled on demand: the pages that a collection never touches never become resident. */
const classes = new Uint8Array(0x110000);

/** The class of a code point. */
export function characterClass(codePoint: number): number {
  const known = classes[codePoint];
  if (known !== UNKNOWN) return known;
  const found = classify(codePoint);
  classes[codePoint] = found;
  return found;
}

const BY_CHARACTER: Record<number, string> = {
  [CharacterClass.SingleQuote]: "'",
  [CharacterClass.DoubleQuote]: '"',
  [CharacterClass.MidLetter]: ':\u00b7\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a',
  [CharacterClass.MidLetterOrNumber]: '.\u2018\u2019\u2024\ufe52\uff07\uff0e',
  [CharacterClass.MidNumber]: ',;\u037e\u0589\u060d\u066c\u07f8\u2044\ufe10\ufe14\ufe50\ufe54\uff0c\uff1b',
  [CharacterClass.Katakana]: '\u3031\u3032\u3033\u3034\u3035\u309b\u309c\u30a0\u30fc\uff70',
  [CharacterClass.Connector]: '\u202f',
  [CharacterClass.Numeric]: '\u066b',
  [CharacterClass.Other]: '\u200b',
};

/** The first that matches wins. */
const BY_PROPERTY: [number, RegExp][] = [
  [CharacterClass.Extend, /[\p{M}\p{Grapheme_Extend}\p{Emoji_Modifier}\p{Cf}]/u],
  [CharacterClass.Numeric, /\p{Nd}/u],
  [CharacterClass.Connector, /\p{Pc}/u],
  [CharacterClass.RegionalIndicator, /\p{Regional_Indicator}/u],
  [CharacterClass.Emoji, /\p{Emoji_Presentation}/u],
  [CharacterClass.Han, /\p{Script=Han}/u],
  [CharacterClass.Hiragana, /\p{Script=Hiragana}/u],
  [CharacterClass.Katakana, /\p{Script=Katakana}/u],
  [CharacterClass.Hebrew, /(?=\p{Script=Hebrew})\p{L}/u],
  [
    CharacterClass.SouthEastAsian,
    /(?=[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tai_Le}\p{sc=New_Tai_Lue}\p{sc=Tai_Tham}\p{sc=Tai_Viet}\p{sc=Ahom}])\p{L}/u,
  ],
  [CharacterClass.Letter, /\p{Alphabetic}/u],
];

function classify(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  for (const [found, characters] of Object.entries(BY_CHARACTER)) {
    if (characters.includes(character)) return Number(found);
  }
  return BY_PROPERTY.find(([, property]) => property.test(character))?.[0] ?? CharacterClass.Other;
}
