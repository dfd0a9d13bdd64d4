import type { GenerateOptions } from './generate-options.js';

/** The controls of length and repetition, on the logits of one sequence's next token, in place. */
export function adjustLogits(
  logits: Float32Array,
  written: readonly number[],
  { endId, ...options }: GenerateOptions & { endId: number },
): void {
  const { minTokens = 0, repetitionPenalty = 1, noRepeat = 0, suppress = [] } = options;
  if (repetitionPenalty !== 1) {
    for (const token of new Set(written)) {
      const logit = logits[token];
      logits[token] = logit > 0 ? logit / repetitionPenalty : logit * repetitionPenalty;
    }
  }
  if (noRepeat > 0) {
    for (const token of repeating(written, noRepeat)) logits[token] = Number.NEGATIVE_INFINITY;
  }
  for (let i = 0; i < suppress.length; i++) logits[suppress[i]] = Number.NEGATIVE_INFINITY;
  if (written.length < minTokens) logits[endId] = Number.NEGATIVE_INFINITY;
}

/** Tokens that would complete a run of `size` tokens that is there already. */
function repeating(written: readonly number[], size: number): number[] {
  const found: number[] = [];
  const last = written.length - (size - 1);
  if (last < 0) return found;
  for (let start = 0; start + size <= written.length; start++) {
    let same = true;
    for (let i = 0; i < size - 1; i++) same &&= written[start + i] === written[last + i];
    if (same) found.push(written[start + size - 1]);
  }
  return found;
}
