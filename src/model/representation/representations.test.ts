import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadModules } from '../../recipe/modules.js';
import { type Pooling, representationOf, representations } from './kinds.js';
import { representationConformance } from './representation.conformance.js';
import { readAs } from './representation.js';
import type { ResolvedTokens } from './tokens.js';

for (const module of ['pooling', 'token-rows']) {
  await loadModules([resolve(import.meta.dirname, `../../../examples/axes/${module}.js`)]);
}

const COLBERT: ResolvedTokens = {
  queryMarker: 1,
  documentMarker: 2,
  fillQueries: 9,
  maskToken: 3,
  attendToMasks: false,
  skip: [5, 6, 7, 8, 9, 10],
  longest: 20,
};

const CASES: Pooling[] = [
  { pooling: 'first' },
  { pooling: 'mean' },
  { pooling: 'tokens', poolingOptions: { ...COLBERT } },
  { pooling: 'first-tokens', poolingOptions: { rows: 3 } },
  { pooling: 'codes', poolingOptions: { codes: 4, documents: 'mean' } },
  { pooling: 'token-weights', poolingOptions: { relu: false, skip: [5, 6] } },
  { pooling: 'vocabulary' },
  { pooling: 'document-vocabulary' },
  { pooling: 'fading-mean', poolingOptions: { fade: 0.7 } },
  { pooling: 'every-other', poolingOptions: { step: 2 } },
];

for (const pooling of CASES) {
  const { sided } = representations.get(pooling.pooling);
  for (const side of sided ? (['queries', 'documents'] as const) : (['documents'] as const)) {
    representationConformance(pooling, side);
  }
}

test('every representation is held to the suite', () => {
  expect(representations.names).toEqual(CASES.map(({ pooling }) => pooling));
});

test('ColBERT: markers behind the first token, queries filled up with [MASK] that nobody looks at', () => {
  const [queries, documents] = (['queries', 'documents'] as const).map((side) =>
    representationOf({ pooling: 'tokens', poolingOptions: { ...COLBERT } }, side),
  );
  expect(readAs(queries, { ids: [11, 12, 13] })).toEqual({
    ids: [11, 1, 12, 13, 3, 3, 3, 3, 3],
    attended: 4,
  });
  const long = Array.from({ length: 12 }, (_, i) => 20 + i);
  // The last token ends every text: it stays.
  expect(readAs(queries, { ids: long })).toEqual({ ids: [20, 1, 21, 22, 23, 24, 25, 26, 31] });
  const text = readAs(documents, { ids: [5, 12, 6, 13] });
  expect(text).toEqual({ ids: [5, 2, 12, 6, 13] });
  // Punctuation is read but gets no row; the first token is kept whatever it is.
  expect('tokens' in documents && documents.tokens(text)).toEqual([0, 1, 2, 4]);
});

test('weights of tokens: special tokens have none, and a text of nothing else keeps its first', () => {
  const weights = representationOf(
    { pooling: 'token-weights', poolingOptions: { relu: true, skip: [1, 2] } },
    'documents',
  );
  expect('tokens' in weights && weights.tokens({ ids: [1, 7, 8, 7, 2] })).toEqual([1, 2, 3]);
  expect('tokens' in weights && weights.tokens({ ids: [1, 2] })).toEqual([0]);
});
