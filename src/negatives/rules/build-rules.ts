import { NearmissError } from '../../base/errors.js';
import { type AnswerTexts, answers } from './answers.js';
import { duplicates } from './duplicates.js';
import { margin } from './margin.js';
import { maxScore } from './max-score.js';
import { relativeMargin } from './relative-margin.js';
import type { CandidateRule } from './rule.js';
import { sameSource } from './same-source.js';
import { skipRanks } from './skip-ranks.js';

/** The rules a recipe or a command line asks for. */
export interface RuleOptions {
  /** Drop the first ranks. Default 0. */
  skipRanks?: number;
  /** Drop candidates that score above the positive's score minus this. */
  margin?: number;
  /** Drop candidates that score above this share of the positive's score. */
  relativeMargin?: number;
  /** Drop candidates that score above this. */
  maxScore?: number;
  /** Drop candidates that contain an answer string of the query. */
  dropAnswers?: boolean;
  /** Keep candidates that have the text of a positive. */
  keepDuplicates?: boolean;
  /** Drop candidates of the same file or article as a positive. */
  dropSameSource?: boolean;
}

/** What rules that look at texts need. */
export interface RuleTexts {
  /** See `textFingerprint`; where given, candidates with the text of a positive are dropped, unless they are to be kept. */
  fingerprintOf?: (document: number) => number;
  /** Needed for `dropSameSource`: the same number for all documents of a file or an article. */
  sourceOf?: (document: number) => number;
  /** Needed for `dropAnswers`. */
  answers?: AnswerTexts;
}

/** The rules in the order in which they apply: those that cost most come last and see the fewest candidates. */
export function buildRules(options: RuleOptions, texts: RuleTexts = {}): CandidateRule[] {
  if (options.dropAnswers && !texts.answers) {
    throw new NearmissError('dropAnswers needs the answers of the queries and the texts of the documents');
  }
  if (options.dropSameSource && !texts.sourceOf) {
    throw new NearmissError('dropSameSource needs to know which documents were written as one');
  }
  return [
    ...(options.skipRanks ? [skipRanks(options.skipRanks)] : []),
    ...(options.margin !== undefined ? [margin(options.margin)] : []),
    ...(options.relativeMargin !== undefined ? [relativeMargin(options.relativeMargin)] : []),
    ...(options.maxScore !== undefined ? [maxScore(options.maxScore)] : []),
    ...(texts.fingerprintOf && !options.keepDuplicates ? [duplicates(texts.fingerprintOf)] : []),
    ...(options.dropSameSource ? [sameSource(texts.sourceOf!)] : []),
    ...(options.dropAnswers ? [answers(texts.answers!)] : []),
  ];
}
