import type { FastifyInstance } from 'fastify';
import type { ServeContext } from '../context.js';
import { qualityRoutes } from '../studio/quality.js';
import { runSearchRoutes } from '../studio/run-search.js';
import { runsRoutes } from '../studio/runs.js';
import { spaceRoutes } from '../studio/space.js';
import { trainingRoutes } from '../trainings/training-routes.js';
import { documentRoutes } from './documents.js';
import { embeddingRoutes } from './embeddings.js';
import { facetRoutes } from './facets.js';
import { fileRoutes } from './files.js';
import { judgmentRoutes } from './judgments.js';
import { modelRoutes } from './models.js';
import { rerankRoutes } from './rerank.js';
import { searchRoutes } from './search.js';
import { statusRoutes } from './status.js';

const ROUTES = [
  searchRoutes,
  facetRoutes,
  documentRoutes,
  fileRoutes,
  judgmentRoutes,
  embeddingRoutes,
  rerankRoutes,
  modelRoutes,
  statusRoutes,
  trainingRoutes,
  runSearchRoutes,
];

/** Every route of the API, for one collection. */
export async function registerRoutes(app: FastifyInstance, context: ServeContext): Promise<void> {
  for (const routes of ROUTES) await app.register(routes, { context });
  const { runs, trainings } = context.collection;
  await app.register(runsRoutes, { runs, ...(context.writable && { trainings }) });
  for (const routes of [spaceRoutes, qualityRoutes]) await app.register(routes, { runs });
}
