// DPR's rule for "the passage holds an answer" (Karpukhin et al. 2020): NFD, tokens, lower case, and the answer's
// tokens must stand in the passage one after the other.

/** DPR's SimpleTokenizer: runs of letters, numbers and marks, or else any one visible character. */
const TOKEN = /[\p{L}\p{N}\p{M}]+|[^\p{Z}\p{C}]/gu;

/** The tokens of a text as {@link containsAnswer} compares them. */
export function answerTokens(text: string): string[] {
  return (text.normalize('NFD').match(TOKEN) ?? []).map((token) => token.toLowerCase());
}

/** Whether the answer's tokens are part of the passage's. An answer without tokens is in every passage, as in DPR. */
export function containsAnswer(passage: readonly string[], answer: readonly string[]): boolean {
  const last = passage.length - answer.length;
  for (let start = 0; start <= last; start++) {
    let matched = 0;
    while (matched < answer.length && passage[start + matched] === answer[matched]) matched++;
    if (matched === answer.length) return true;
  }
  return false;
}

/**
 * Whether a passage holds one of the answers.
 *
 * @example
 * hasAnswer('It was built in 1,889.', ['1,889']); // true
 */
export function hasAnswer(passage: string, answers: readonly string[]): boolean {
  const tokens = answerTokens(passage);
  return answers.some((answer) => containsAnswer(tokens, answerTokens(answer)));
}
