import { Registry } from '../../base/registry.js';
import { SIDES, type Side } from '../side.js';
import { codesKind } from './codes.js';
import { documentVocabularyKind } from './document-vocabulary.js';
import { firstKind } from './first.js';
import { firstTokensKind } from './first-tokens.js';
import { meanKind } from './mean.js';
import { mostRows, type PooledRow, type Representation, type RepresentationKind } from './representation.js';
import { tokenWeightsKind } from './token-weights.js';
import { tokensKind } from './tokens.js';
import { vocabularyKind } from './vocabulary.js';

/** All ways from token states to rows that recipes can name. */
export const representations = new Registry<RepresentationKind>('pooling', [
  firstKind,
  meanKind,
  tokensKind,
  firstTokensKind,
  codesKind,
  tokenWeightsKind,
  vocabularyKind,
  documentVocabularyKind,
]);

/** A head's pooling: the kind's name, and its options where it has some. */
export interface Pooling {
  pooling: string;
  poolingOptions?: Record<string, unknown>;
}

/** What a head's pooling stands for; fails where no kind of that name is registered. */
export function representationOf({ pooling, poolingOptions = {} }: Pooling, side: Side): Representation {
  return representations.get(pooling).create(poolingOptions, side);
}

/** The scorer that an index has to compare the rows of a head by, where it is not the best inner product. */
export function indexScorer({ pooling }: Pooling): string | undefined {
  const { scorer } = representations.get(pooling);
  return scorer === 'max' ? undefined : scorer;
}

/** Whether a head's rows are terms and their weights, which an inverted index finds documents by. */
export function makesTerms({ pooling }: Pooling): boolean {
  return representations.get(pooling).terms === true;
}

/** Whether the rows of a head are tokens on both sides, and the best product of each counts. */
export function comparesTokens(head: Pooling): boolean {
  const { scorer = 'max' } = representations.get(head.pooling);
  return (
    ['max', 'max-sim'].includes(scorer) && SIDES.every((side) => 'tokens' in representationOf(head, side))
  );
}

/** Whether a head makes one row of every text, queries and documents alike. */
export function makesOneRow(head: Pooling): boolean {
  return !isSided(head) && mostRows(representationOf(head, 'documents')) === 1;
}

/** The way in which a head makes one row of every text by weighing its states, where it does. */
export function pooledRow(head: Pooling): PooledRow | undefined {
  const representation = representationOf(head, 'documents');
  return 'weigh' in representation && !isSided(head) ? representation : undefined;
}

/** Whether a head represents queries and documents differently. */
export function isSided({ pooling }: Pooling): boolean {
  return representations.get(pooling).sided === true;
}
