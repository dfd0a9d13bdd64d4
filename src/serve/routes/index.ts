import type { FastifyInstance } from 'fastify';
import type { ServeContext } from '../context.js';
import { qualityRoutes } from '../studio/quality.js';
import { runsRoutes } from '../studio/runs.js';
import { spaceRoutes } from '../studio/space.js';
import { documentRoutes } from './documents.js';
import { embeddingRoutes } from './embeddings.js';
import { modelRoutes } from './models.js';
import { rerankRoutes } from './rerank.js';
import { searchRoutes } from './search.js';
import { statusRoutes } from './status.js';

/** Every route of the API. */
export async function registerRoutes(app: FastifyInstance, context: ServeContext): Promise<void> {
  for (const routes of [
    searchRoutes,
    documentRoutes,
    embeddingRoutes,
    rerankRoutes,
    modelRoutes,
    statusRoutes,
  ]) {
    await app.register(routes, { context });
  }
  for (const routes of [runsRoutes, spaceRoutes, qualityRoutes]) {
    await app.register(routes, { runs: context.runs });
  }
}
