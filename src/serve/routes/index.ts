import type { FastifyInstance } from 'fastify';
import type { ServeContext } from '../context.js';
import { documentRoutes } from './documents.js';
import { embeddingRoutes } from './embeddings.js';
import { searchRoutes } from './search.js';
import { statusRoutes } from './status.js';

/** Every route of the API. */
export async function registerRoutes(app: FastifyInstance, context: ServeContext): Promise<void> {
  for (const routes of [searchRoutes, documentRoutes, embeddingRoutes, statusRoutes]) {
    await app.register(routes, { context });
  }
}
