import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Random } from '../../engine/index.js';
import { loadModules } from '../../recipe/modules.js';
import { scorers } from './kinds.js';
import { scorerConformance } from './scorer.conformance.js';

await loadModules([resolve(import.meta.dirname, '../../../examples/axes/scorer.js')]);

const MOST_ROWS = {
  dot: { queries: 1, documents: 1 },
  max: { queries: 1, documents: 4 },
  'max-sim': { queries: 3, documents: 5 },
  poly: { queries: 4, documents: 1 },
  impact: { queries: 3, documents: 5 },
  'mean-piece': { queries: 1, documents: 3 },
};

/** Some of few terms, with weights that are not too near 0, where relu has a corner. */
const TERMS = {
  size: 2,
  draw: (random: Random) => [1 + random.integer(3), random.normal() + 0.05],
  learns: (column: number) => column === 1,
};

for (const [name, most] of Object.entries(MOST_ROWS)) {
  const rows = name === 'impact' ? TERMS : undefined;
  scorerConformance({ name, scorer: scorers.get(name).create({}), most, rows });
}

test('every scorer is held to the suite', () => {
  expect(scorers.names).toEqual(Object.keys(MOST_ROWS));
});
