import { Registry } from '../../base/registry.js';
import { dotKind } from './dot.js';
import { impactKind } from './impact.js';
import { maxKind } from './max.js';
import { maxSimKind } from './max-sim.js';
import { polyKind } from './poly.js';
import type { ScorerKind } from './scorer.js';

/** All ways from rows to scores that recipes can name. */
export const scorers = new Registry<ScorerKind>('scorer', [
  dotKind,
  maxKind,
  maxSimKind,
  polyKind,
  impactKind,
]);
