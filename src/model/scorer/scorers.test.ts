import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadModules } from '../../recipe/modules.js';
import { scorers } from './kinds.js';
import { scorerConformance } from './scorer.conformance.js';

await loadModules([resolve(import.meta.dirname, '../../../examples/axes/scorer.js')]);

const MOST_ROWS = {
  dot: { queries: 1, documents: 1 },
  max: { queries: 1, documents: 4 },
  'max-sim': { queries: 3, documents: 5 },
  poly: { queries: 4, documents: 1 },
  'mean-piece': { queries: 1, documents: 3 },
};

for (const [name, most] of Object.entries(MOST_ROWS)) {
  scorerConformance({ name, scorer: scorers.get(name).create({}), most });
}

test('every scorer is held to the suite', () => {
  expect(scorers.names).toEqual(Object.keys(MOST_ROWS));
});
