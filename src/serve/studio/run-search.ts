import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { errors } from '../answers/errors.js';
import { searchAnswer } from '../answers/hits.js';
import { ServedIndex } from '../collections/served-index.js';
import { goneSignal, type ServeContext } from '../context.js';
import { presentHits } from '../present-hits.js';
import { requireMode } from '../require-mode.js';
import { searchMode, text } from '../schemas.js';
import { lookAt, runNamed } from './study-errors.js';

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

  const indexOf = (path: string): ServedIndex => {
    const known = open.get(path);
    if (known) return known;
    const opened = new ServedIndex({
      lazy: true,
      openWaitMs: limits.waitMs,
      open: async () => {
        const { openSearcher } = await import('../../search/open/open-searcher.js');
        return openSearcher(path, { inWorkers: true });
      },
    });
    open.set(path, opened);
    return opened;
  };

  app.get(
    '/v1/runs/:run/search',
    {
      schema: {
        tags: ['runs'],
        summary: 'Search with the model of a run',
        description: 'What was trained is opened at the first question; until it is there the answer is 503.',
        params: z.object({ run: z.string().min(1).max(255) }),
        querystring: z.strictObject({
          q: text(limits.queryLength).describe('The query.'),
          mode: searchMode.default('dense'),
          k: z.coerce.number().int().min(1).max(limits.k).default(10),
        }),
        response: { 200: searchAnswer, ...errors },
      },
    },
    (request, reply) => {
      const { params, query: asked } = request;
      const { q, mode, k } = asked;
      return lookAt(request, params.run, () => {
        const index = indexOf(runNamed(collection.runs, params.run).path);
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
