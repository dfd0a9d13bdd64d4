import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { readRunDescription } from '../../run/run-description.js';
import { type RunDirectory, START_FOLDER } from '../../run/run-directory.js';
import type { Searcher } from '../../search/searcher.js';
import { errors } from '../answers/errors.js';
import { searchAnswer } from '../answers/hits.js';
import { ServedIndex } from '../collections/served-index.js';
import { goneSignal, type ServeContext } from '../context.js';
import { presentHits } from '../present-hits.js';
import { requireMode } from '../require-mode.js';
import { searchMode, text } from '../schemas.js';
import { lookAt, runNamed } from './study-errors.js';

/** Which model of a run is asked: what came of it, or what it began with. */
const MODELS = ['best', 'start'] as const;
type RunModel = (typeof MODELS)[number];

/** Each holds a model and an index in memory. */
const MOST_OPEN = 2;

/** `GET /v1/runs/:run/search`: the documents as a run's model finds them, to compare with what is served. */
export const runSearchRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  const { admission, collection, limits } = context;
  const open = new LRUCache<string, ServedIndex>({
    max: MOST_OPEN,
    dispose: (index) => void index.close().catch(() => undefined),
  });
  app.addHook('onClose', async () => open.clear());

  const indexOf = (run: RunDirectory, model: RunModel): ServedIndex => {
    const key = `${model} ${run.path}`;
    const known = open.get(key);
    if (known) return known;
    const opened = new ServedIndex({
      lazy: true,
      openWaitMs: limits.waitMs,
      open: () => (model === 'start' ? openStart(run) : openBest(run)),
      onFailure: (error) => app.log.warn({ err: error, run: run.path }, 'a run cannot be searched'),
    });
    open.set(key, opened);
    return opened;
  };

  app.get(
    '/v1/runs/:run/search',
    {
      schema: {
        tags: ['runs'],
        summary: 'Search with the model of a run',
        description: 'The model is opened at the first question; until it is there the answer is 503.',
        params: z.object({ run: z.string().min(1).max(255) }),
        querystring: z.strictObject({
          q: text(limits.queryLength).describe('The query.'),
          model: z
            .enum(MODELS)
            .default('best')
            .describe('`start`: the model that the run began with, as published.'),
          mode: searchMode.default('dense'),
          k: z.coerce.number().int().min(1).max(limits.k).default(10),
        }),
        response: { 200: searchAnswer, ...errors },
      },
    },
    (request, reply) => {
      const { params, query: asked } = request;
      const { q, model, mode, k } = asked;
      return lookAt(request, params.run, () => {
        const index = indexOf(runNamed(collection.runs, params.run), model);
        return admission.run(
          (signal) =>
            index.use(async (searcher) => {
              const start = performance.now();
              requireMode(searcher, mode);
              const found = await searcher.retriever(mode).search([q], { k, signal });
              const [hits] = await presentHits(searcher, found, { queries: [q], signal });
              const tookMs = Math.round((performance.now() - start) * 100) / 100;
              return { version: searcher.version, mode, tookMs, hits };
            }),
          { signal: goneSignal(reply), size: 1 },
        );
      });
    },
  );
};

async function openBest(run: RunDirectory): Promise<Searcher> {
  const { openSearcher } = await import('../../search/open/open-searcher.js');
  return openSearcher(run.path, { data: run.data, inWorkers: true });
}

/** Its vectors are kept beside the collection, for all runs that begin with the same model. */
async function openStart(run: RunDirectory): Promise<Searcher> {
  const [{ openSearcher }, { data, recipe, published }] = await Promise.all([
    import('../../search/open/open-searcher.js'),
    readRunDescription(run),
  ]);
  const cache = recipe.model.init === 'scratch' ? run.file('cache', 'search') : undefined;
  return openSearcher(data, { model: published ?? run.file(START_FOLDER), cache, inWorkers: true });
}
