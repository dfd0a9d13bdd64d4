/** How p-values are raised when several comparisons are made at once. */
export type Correction = 'none' | 'bonferroni' | 'holm';

/**
 * Corrects p-values for their number, in the order given. Holm's method is never weaker than Bonferroni's.
 *
 * @example
 * correct([0.01, 0.04, 0.03], 'holm'); // [0.03, 0.06, 0.06]
 */
export function correct(pValues: readonly number[], method: Correction): number[] {
  const n = pValues.length;
  if (method === 'none') return [...pValues];
  if (method === 'bonferroni') return pValues.map((p) => Math.min(1, p * n));
  const corrected = new Array<number>(n);
  let largest = 0;
  [...pValues.keys()]
    .sort((i, j) => pValues[i] - pValues[j])
    .forEach((index, smaller) => {
      largest = Math.max(largest, Math.min(1, pValues[index] * (n - smaller)));
      corrected[index] = largest;
    });
  return corrected;
}
