import type { Random } from '../../engine/index.js';
import { MASKED } from '../encoder/packed-batch.js';

export interface SightOptions {
  /** The share of a text's words that a token does not see when it is rebuilt. */
  share: number;
  /** Whether words are seen or not as a whole. */
  wholeWords: boolean;
  random: Random;
}

/**
 * What each place of a text may look at when a decoder rebuilds it (Xiao et al. 2022, eq. 6): the sentence's vector, which stands
 * in the first place, special tokens, and of the words as many as a draw of its own leaves; never its own word.
 *
 * @param words for each token the number of its word; −1 for special tokens
 * @param length places with the padding behind the text, which sees the sentence's vector alone
 * @returns [length, length]: 0 where a row may look, {@link MASKED} elsewhere
 */
export function drawSight(words: Int32Array, length: number, options: SightOptions): Float32Array {
  const { share, wholeWords, random } = options;
  const sight = new Float32Array(length * length).fill(MASKED);
  // A place's word, or the place itself; special tokens are no word's.
  const units = wholeWords ? words : words.map((word, place) => (word < 0 ? word : place));
  const isSeen = new Uint8Array(Math.max(...units) + 1);
  for (let row = 0; row < length; row++) {
    const own = sight.subarray(row * length, (row + 1) * length);
    own[0] = 0;
    if (row >= words.length) continue;
    for (let unit = 0; unit < isSeen.length; unit++) isSeen[unit] = random.uniform() < share ? 0 : 1;
    units.forEach((unit, place) => {
      if (unit < 0 || (isSeen[unit] === 1 && unit !== units[row])) own[place] = 0;
    });
  }
  return sight;
}
