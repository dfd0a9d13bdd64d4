import { truth } from '../../base/settings.js';
import { SPECIAL_ROLES } from '../../text/special-tokens.js';
import type { TokenizedText } from '../encoder/tokenized-texts.js';
import { representationKind } from './representation.js';

/**
 * A weight for every token, w·h + b: what a word counts for where it stands (DeepCT, Dai & Callan 2019; uniCOIL, Lin & Ma
 * 2021). A row is the token's number and its weight.
 */
export const tokenWeightsKind = representationKind({
  name: 'token-weights',
  description: 'every token and what it weighs, to be looked up in an inverted index (uniCOIL, DeepCT)',
  options: {
    relu: truth().default(true).describe('whether weights below 0 are 0, as uniCOIL has it'),
    special: truth()
      .default(false)
      .describe('whether [CLS] and its like have rows, too; DeepCT tells by them where a passage starts'),
  },
  terms: true,
  projection: 1,
  scorer: 'impact',
  // Weights that start near 1 count words that query and document share; around 0, relu would leave half of them dead.
  start(parameters, missing) {
    if (missing.has('head.linear.bias')) parameters.get('head.linear.bias').fill(1);
  },
  resolve: ({ relu, special }, { tokenizer: { specialTokens } }) => ({
    relu,
    skip: special ? [] : SPECIAL_ROLES.flatMap((role) => specialTokens[role]?.id ?? []),
  }),
  create(options) {
    const { relu, skip } = options as unknown as { relu: boolean; skip: readonly number[] };
    const skipped = new Set(skip);
    return { tokens: (text) => keptTokens(text, skipped), terms: { relu, weightless: skip } };
  },
});

/** A text of special tokens alone keeps its first, which weighs nothing: no text is without a row. */
function keptTokens({ ids }: TokenizedText, skipped: ReadonlySet<number>): number[] {
  const kept: number[] = [];
  for (let token = 0; token < ids.length; token++) if (!skipped.has(ids[token])) kept.push(token);
  return kept.length > 0 ? kept : [0];
}
