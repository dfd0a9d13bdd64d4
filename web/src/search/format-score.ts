/** Enough digits to tell scores of one list apart. */
export function formatScore(score: number): string {
  const magnitude = Math.abs(score);
  return score.toFixed(magnitude >= 100 ? 1 : magnitude >= 10 ? 2 : magnitude >= 0.1 ? 3 : 4);
}
