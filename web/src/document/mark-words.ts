import type { Snippet } from '../api.js';

/** Shorter words (how, the, and) are in every text. */
const MIN_LENGTH = 4;

/** Where the words of a query stand in a text, as they were typed: for texts that the server has no highlights for. */
export function markWords(text: string, query: string): Snippet {
  const words = (query.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length >= MIN_LENGTH);
  if (words.length === 0) return { text, highlights: [] };
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
  return {
    text,
    highlights: [...text.matchAll(pattern)].map(({ index, 0: word }) => [index, index + word.length]),
  };
}
