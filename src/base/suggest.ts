import { distance } from 'fastest-levenshtein';

/**
 * The candidate that was most likely meant, or undefined where none is near.
 *
 * @example
 * suggest('nDGC', ['nDCG', 'RR']); // 'nDCG'
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  const lower = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    // Never nearer than their lengths are: of a word as long as a book nothing has to be compared.
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const apart = distance(lower, candidate.toLowerCase());
    if (apart < bestDistance && apart < candidate.length) {
      best = candidate;
      bestDistance = apart;
    }
  }
  return best;
}
