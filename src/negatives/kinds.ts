import { Registry } from '../base/registry.js';
import type { NegativesKind } from './kind.js';
import { annKind } from './sources/ann.js';
import { bm25Kind } from './sources/bm25.js';
import { hardestInBatchKind } from './sources/hardest-in-batch.js';
import { inBatchKind } from './sources/in-batch.js';
import { randomKind } from './sources/random.js';
import { searchedKind } from './sources/searched.js';
import { staticKind } from './sources/static.js';

/** All sources of negatives that recipes can name. */
export const negatives = new Registry<NegativesKind>('source of negatives', [
  inBatchKind,
  hardestInBatchKind,
  randomKind,
  bm25Kind,
  annKind,
  staticKind,
  searchedKind,
]);
