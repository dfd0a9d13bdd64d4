import type { SampleOptions } from './generate-options.js';

/** The place of the largest number; the first of equal ones. */
export function largestAt(logits: ArrayLike<number>): number {
  let best = 0;
  for (let token = 1; token < logits.length; token++) if (logits[token] > logits[best]) best = token;
  return best;
}

/** Logarithm of the sum of exponentials. */
export function logSumExp(logits: ArrayLike<number>): number {
  const most = logits[largestAt(logits)];
  let sum = 0;
  for (let i = 0; i < logits.length; i++) sum += Math.exp(logits[i] - most);
  return most + Math.log(sum);
}

/** The `k` largest numbers that are finite, by their places, largest first; of equal ones the first. */
export function largest(logits: ArrayLike<number>, k: number): number[] {
  const found: number[] = [];
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token];
    if (logit === Number.NEGATIVE_INFINITY) continue;
    if (found.length === k && logit <= logits[found[k - 1]]) continue;
    let at = found.length;
    while (at > 0 && logits[found[at - 1]] < logit) at--;
    found.splice(at, 0, token);
    if (found.length > k) found.pop();
  }
  return found;
}

/**
 * Draws a token: of the `topK` most probable, after the temperature, those whose probabilities first add up to `topP`
 * (Holtzman et al. 2020), by a number in [0, 1).
 */
export function sampleToken(
  logits: ArrayLike<number>,
  { topK, topP, temperature }: Pick<SampleOptions, 'topK' | 'topP' | 'temperature'>,
  draw: number,
): number {
  const candidates = topK > 0 ? largest(logits, topK) : inOrder(logits);
  const most = logits[candidates[0]];
  const weights = candidates.map((token) => Math.exp((logits[token] - most) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let kept = 0;
  let mass = 0;
  while (kept < weights.length && (kept === 0 || mass < topP * total)) mass += weights[kept++];
  let left = draw * mass;
  for (let i = 0; i < kept - 1; i++) {
    left -= weights[i];
    if (left < 0) return candidates[i];
  }
  return candidates[kept - 1];
}

function inOrder(logits: ArrayLike<number>): number[] {
  const tokens: number[] = [];
  for (let token = 0; token < logits.length; token++) {
    if (logits[token] !== Number.NEGATIVE_INFINITY) tokens.push(token);
  }
  return tokens.sort((a, b) => logits[b] - logits[a] || a - b);
}
