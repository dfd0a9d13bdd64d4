import { Registry } from '../../base/registry.js';
import type { Engine } from './engine.js';
import { qdrant } from './qdrant/qdrant.js';

/** The engines that a collection can be pushed to. */
export const engines = new Registry<Engine>('engine', [qdrant]);
