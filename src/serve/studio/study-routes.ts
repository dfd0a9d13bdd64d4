import type { FastifyInstance } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { RunCatalog } from '../collections/run-catalog.js';
import { StudyDesk } from './study-desk.js';

/** Routes that study runs. */
export type StudyRoutes = FastifyPluginAsyncZod<{ runs: Pick<RunCatalog, 'directoryOf'> }>;

/** Where they stand in the documentation. */
export const STUDY_TAGS = ['runs'];

/** A desk that closes with the server. */
export function openDesk(app: Pick<FastifyInstance, 'addHook'>): StudyDesk {
  const desk = new StudyDesk();
  app.addHook('onClose', () => desk.close());
  return desk;
}
