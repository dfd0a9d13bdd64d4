import type { Random } from '../../engine/index.js';
import type { WordTokens } from '../../text/word-tokens.js';
import type { TokenizedText } from '../encoder/tokenized-texts.js';

/** A text some of whose tokens are hidden. */
export interface MaskedText extends TokenizedText {
  /** The places of tokens to be guessed, ascending. */
  places: Int32Array;
  /** What stood there. */
  labels: Int32Array;
  /** For each token the number of its word; −1 for special tokens. */
  words: Int32Array;
}

export interface MaskWordsOptions {
  /** The share of a text's tokens that is to be guessed. */
  share: number;
  /** Whether all tokens of a word are hidden together. */
  wholeWords: boolean;
  maskId: number;
  /** Tokens that may stand in for one that is to be guessed. */
  others: ArrayLike<number>;
  random: Random;
}

/** What becomes of a token that is to be guessed (Devlin et al. 2019): mostly `[MASK]`, else any token, else itself. */
const HIDDEN = 0.8;
const REPLACED = 0.1;

/** Hides words of a text; at least one, and then as many as keep to the share. Special tokens stay. */
export function maskWords({ ids, words }: WordTokens, options: MaskWordsOptions): MaskedText | undefined {
  const { share, wholeWords, random } = options;
  const units = new Map<number, number[]>();
  words.forEach((word, place) => {
    if (word < 0) return;
    const unit = wholeWords ? word : place;
    const places = units.get(unit);
    if (places) places.push(place);
    else units.set(unit, [place]);
  });
  const candidates = [...units.values()];
  const tokens = candidates.reduce((sum, places) => sum + places.length, 0);
  const most = Math.max(1, Math.round(tokens * share));
  const chosen: number[] = [];
  const order = random.shuffle(Int32Array.from(candidates.keys()));
  for (const unit of order) {
    if (chosen.length >= most) break;
    const places = candidates[unit];
    if (chosen.length === 0 || chosen.length + places.length <= most) chosen.push(...places);
  }
  if (chosen.length === 0) return undefined;
  const places = Int32Array.from(chosen).sort();
  const labels = places.map((place) => ids[place]);
  const masked = ids.slice();
  for (const place of places) masked[place] = standIn(ids[place], options);
  return { ids: masked, places, labels, words };
}

function standIn(id: number, { maskId, others, random }: MaskWordsOptions): number {
  const chance = random.uniform();
  if (chance < HIDDEN) return maskId;
  return chance < HIDDEN + REPLACED ? others[random.integer(others.length)] : id;
}
