import { Registry } from '../base/registry.js';
import type { ExamplesKind } from './example.js';
import { labelledKind } from './labelled.js';
import type { OrderKind } from './orders/order.js';
import { shuffledKind } from './orders/shuffled.js';
import { topicKind } from './orders/topic.js';

/** All sources of examples that recipes can name. */
export const examples = new Registry<ExamplesKind>('source of examples', [labelledKind]);

/** All orders of examples that recipes can name. */
export const orders = new Registry<OrderKind>('batch order', [shuffledKind, topicKind]);
