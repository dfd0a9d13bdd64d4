import { Registry } from '../../base/registry.js';
import type { Engine } from './engine.js';
import { pgvector } from './pgvector/pgvector.js';
import { qdrant } from './qdrant/qdrant.js';

/** The engines that a collection can be pushed to. */
export const engines = new Registry<Engine>('engine', [qdrant, pgvector]);

/** What recipes call them. */
export const ENGINE_NAMES = [qdrant.name, pgvector.name] as const;
