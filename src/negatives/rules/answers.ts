import { answerTokens, containsAnswer } from '../../evaluate/has-answer.js';
import type { CandidateRule } from './rule.js';

export interface AnswerTexts {
  /** The answers of a query; none where it has none. */
  answersOf: (query: number) => readonly string[];
  /** The text of a document that may hold one. */
  textOf: (document: number) => string;
}

interface Answer {
  tokens: string[];
  /** Its longest token, folded: a text without it cannot hold the answer, which spares most texts the tokenizer. */
  key: string;
}

/** Drops candidates that contain an answer of the query (DPR's rule for open-domain question answering). */
export function answers({ answersOf, textOf }: AnswerTexts): CandidateRule {
  return {
    name: 'answers',
    parameters: {},
    judge: ({ query, ids }) => {
      const wanted = answersOf(query).map(toAnswer).filter(hasTokens);
      if (wanted.length === 0) return () => false;
      return (place) => holdsAny(textOf(ids[place]), wanted);
    },
  };
}

function holdsAny(text: string, wanted: readonly Answer[]): boolean {
  const folded = fold(text);
  const possible = wanted.filter(({ key }) => folded.includes(key));
  if (possible.length === 0) return false;
  const passage = answerTokens(text);
  return possible.some(({ tokens }) => containsAnswer(passage, tokens));
}

function toAnswer(text: string): Answer {
  const tokens = answerTokens(text);
  const longest = tokens.reduce((best, token) => (token.length > best.length ? token : best), '');
  return { tokens, key: fold(longest) };
}

/** An answer without tokens would be in every passage. */
function hasTokens({ tokens }: Answer): boolean {
  return tokens.length > 0;
}

/** Whole texts and single tokens alike: the one letter whose lower case depends on its neighbours is made one. */
function fold(text: string): string {
  return text.normalize('NFD').toLowerCase().replaceAll('ς', 'σ');
}
