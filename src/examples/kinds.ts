import { Registry } from '../base/registry.js';
import type { ExamplesKind } from './example.js';
import { generatedKind } from './generated.js';
import { labelledKind } from './labelled.js';
import type { OrderKind } from './orders/order.js';
import { shuffledKind } from './orders/shuffled.js';
import { topicKind } from './orders/topic.js';
import { pairMakers } from './pairs/kinds.js';
import { madeKind } from './pairs/made.js';
import { pairExamplesKind } from './pairs/pair-examples.js';
import { pseudoLabelledKind } from './pseudo-labelled.js';

/** All sources of examples that recipes can name. */
export const examples = new Registry<ExamplesKind>('source of examples', [
  labelledKind,
  pseudoLabelledKind,
  madeKind,
  generatedKind,
  ...pairMakers.kinds.map(pairExamplesKind),
]);

/** All orders of examples that recipes can name. */
export const orders = new Registry<OrderKind>('batch order', [shuffledKind, topicKind]);
