import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadModules } from '../../recipe/modules.js';
import { representations } from './kinds.js';
import { representationConformance } from './representation.conformance.js';

await loadModules([resolve(import.meta.dirname, '../../../examples/axes/pooling.js')]);

const CASES = [
  { pooling: 'first' },
  { pooling: 'mean' },
  { pooling: 'fading-mean', poolingOptions: { fade: 0.7 } },
];

for (const pooling of CASES) representationConformance(pooling);

test('every representation is held to the suite', () => {
  expect(representations.names).toEqual(CASES.map(({ pooling }) => pooling));
});
