import { answerTokens, containsAnswer } from '../../evaluate/has-answer.js';
import type { CandidateRule } from './rule.js';

export interface AnswerTexts {
  /** The answers of a query; none where it has none. */
  answersOf: (query: number) => readonly string[];
  /** The text of a document that may hold one. */
  textOf: (document: number) => string;
}

/** Drops candidates that contain an answer of the query (DPR's rule for open-domain question answering). */
export function answers({ answersOf, textOf }: AnswerTexts): CandidateRule {
  return {
    name: 'answers',
    parameters: {},
    judge: ({ query, ids }) => {
      // An answer without tokens would be in every passage.
      const wanted = answersOf(query)
        .map(answerTokens)
        .filter((tokens) => tokens.length > 0);
      if (wanted.length === 0) return () => false;
      return (place) => {
        const passage = answerTokens(textOf(ids[place]));
        return wanted.some((answer) => containsAnswer(passage, answer));
      };
    },
  };
}
