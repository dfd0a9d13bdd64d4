import { equal, sign, spread, toFloat } from '../../engine/index.js';
import { representationKind } from './representation.js';
import { vocabularyKind } from './vocabulary.js';

/**
 * SPLADE-doc (Formal et al. 2021): documents are weighed and expanded as SPLADE does it, a query is its tokens, each with a
 * weight of 1. What a query becomes depends on no weights, so that no model runs when somebody searches.
 */
export const documentVocabularyKind = representationKind({
  ...vocabularyKind,
  name: 'document-vocabulary',
  description:
    'documents as with vocabulary, queries as their tokens with a weight of 1 each: no model at query time (SPLADE-doc)',
  sided: true,
  create(_, side) {
    if (side === 'documents') return vocabularyKind.create({}, side);
    return {
      count: 1,
      size: ({ vocabularySize }) => vocabularySize,
      // Without the special tokens at both ends; no text is without a token.
      read: ({ ids }) => ({ ids: ids.length > 2 ? Array.from(ids).slice(1, -1) : [ids[0]] }),
      build({ ids, bias, config }) {
        // A token that stands twice counts once, and padding not at all.
        return sign(spread(toFloat(equal(bias, 0)), ids, config.vocabularySize));
      },
    };
  },
});
