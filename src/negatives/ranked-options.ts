import type { OptionProblem, OptionsOf } from '../base/registry.js';
import { anyNumber, between, oneOf, truth, whole } from '../base/settings.js';

/** The settings of every source that samples from rankings; 200 deep as in the ANCE paper. */
export const rankedOptions = {
  count: whole(1).default(1).describe('negatives for each query and step'),
  depth: whole(1).default(200).describe('how deep in the ranking to sample'),
  sampling: oneOf('uniform', 'weighted', 'balanced')
    .default('uniform')
    .describe(
      'over the depth, more often near the top (by 1/rank), or over ten equal ranges of the scores first (TAS-B)',
    ),
  skipRanks: whole(0).default(0).describe('leaves out the first ranks, which may be unlabelled positives'),
  margin: between(0, Number.POSITIVE_INFINITY)
    .optional()
    .describe("drops candidates that score above the positive's score minus this"),
  relativeMargin: between(0, 1, { open: 'least' })
    .optional()
    .describe("drops candidates that score above this share of the positive's score"),
  maxScore: anyNumber()
    .optional()
    .describe(
      "drops candidates that score above this, such as what a teacher's scores hold for relevant (RocketQA)",
    ),
  dropAnswers: truth()
    .default(false)
    .describe('drops candidates that contain an answer string of the query (OpenQA)'),
  keepDuplicates: truth()
    .default(false)
    .describe("keeps candidates with a positive's text under another id, which are dropped otherwise"),
  dropSameSource: truth()
    .default(false)
    .describe('drops candidates of the same file, or with the same title, as a positive'),
};

export type RankedOptions = OptionsOf<typeof rankedOptions>;

/** Where nothing is left to sample from. */
export function checkRanked({
  count,
  depth,
  skipRanks,
}: Pick<RankedOptions, 'count' | 'depth' | 'skipRanks'>): OptionProblem[] {
  if (depth - skipRanks >= count) return [];
  const room = skipRanks > 0 ? ` between rank ${skipRanks} and ${depth}` : ` in the first ${depth}`;
  return [
    {
      level: 'error',
      field: 'depth',
      message: `expected room for ${count} negatives${room}`,
      hint: 'raise depth',
    },
  ];
}
