import type { TokenizedText } from '../../model/index.js';

/**
 * The piece of a document that a query most likely asks about: the one with most of its tokens, each counting the more the
 * fewer pieces have it. Whoever learns to write queries from another piece learns to make things up.
 */
export function askedPiece(pieces: readonly TokenizedText[], query: ArrayLike<number>): TokenizedText {
  if (pieces.length === 1) return pieces[0];
  const tokens = pieces.map(({ ids }) => new Set(Array.from(ids)));
  const weights = new Map<number, number>();
  for (const token of new Set(Array.from(query))) {
    const having = tokens.filter((own) => own.has(token)).length;
    if (having > 0) weights.set(token, Math.log(pieces.length / having));
  }
  const scores = tokens.map((own) => {
    let sum = 0;
    for (const [token, weight] of weights) if (own.has(token)) sum += weight;
    return sum;
  });
  return pieces[scores.indexOf(Math.max(...scores))];
}
