import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { documentFilterSchema } from '../../search/filter/filter.js';
import { firstModeNames } from '../../search/retrievers/modes.js';
import { type ServeContext, workOn } from '../context.js';
import { presentHits } from '../present-hits.js';
import { requireMode } from '../require-mode.js';
import { errors, hit, listOf, modeAmong, searchMode, text, version } from '../schemas.js';

const answer = { version, mode: searchMode, tookMs: z.number() };

/** Reading a body holds everybody up; queries and a filter are never longer than this. */
const MAX_BODY_BYTES = 2 * 2 ** 20;

/** `POST /v1/search`: one query, or several at once. */
export const searchRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  const { limits, metrics } = context;
  const query = text(limits.queryLength);
  const body = z
    .strictObject({
      query: query.optional(),
      queries: listOf(query, { max: limits.batch, what: 'queries' }).optional(),
      mode: searchMode.optional().describe('Default: what /v1/info calls defaultMode.'),
      k: z.int().min(1).max(limits.k).default(10).describe('Hits for each query.'),
      filter: documentFilterSchema
        .optional()
        .describe('Only documents whose metadata match, e.g. {"year": {"$gte": 2004}}.'),
      explain: z.boolean().default(false).describe('Says how each score came about.'),
      snippets: z.boolean().default(true),
      rerank: z
        .strictObject({
          first: modeAmong(firstModeNames()).optional().describe('What finds the candidates.'),
          depth: z.int().min(1).max(limits.batch).optional().describe('How many are reranked, at least k.'),
        })
        .optional()
        .describe('Of the mode cascade; what is left out is as the server was started.'),
    })
    .refine((search) => (search.query === undefined) !== (search.queries === undefined), {
      message: 'expected either "query" or "queries"',
    })
    .refine(({ k, queries }) => k * (queries?.length ?? 1) <= limits.hits, {
      message: `expected at most ${limits.hits} hits in all (k times the number of queries)`,
    })
    .refine(({ rerank, queries }) => (rerank?.depth ?? 0) * (queries?.length ?? 1) <= limits.hits, {
      message: `expected at most ${limits.hits} hits to rerank in all (depth times the number of queries)`,
    })
    .refine(({ rerank, mode }) => rerank === undefined || mode === 'cascade', {
      message: 'expected "mode": "cascade" with "rerank"',
    });

  app.post(
    '/v1/search',
    {
      bodyLimit: Math.min(limits.bodyBytes, MAX_BODY_BYTES),
      schema: {
        tags: ['search'],
        summary: 'Search',
        description: 'Finds documents for `query`, or for each of `queries`.',
        body,
        response: {
          200: z.union([
            z.object({ ...answer, hits: z.array(hit) }),
            z.object({ ...answer, results: z.array(z.object({ hits: z.array(hit) })) }),
          ]),
          ...errors,
        },
      },
    },
    (request, reply) => {
      const { query, queries, k, filter, explain, snippets, rerank } = request.body;
      const texts = queries ?? [query!];
      return workOn(context, { reply, size: texts.length }, async (searcher, signal) => {
        const start = performance.now();
        const mode = request.body.mode ?? searcher.defaultMode;
        requireMode(searcher, mode);
        if (rerank?.first !== undefined) requireMode(searcher, rerank.first);
        const found = await searcher.retriever(mode, rerank).search(texts, { k, filter, explain, signal });
        const results = await presentHits(searcher, found, { queries: snippets ? texts : undefined, signal });
        const tookMs = performance.now() - start;
        metrics.observeSearch(mode, tookMs);
        metrics.observeBatch('queries', texts.length);
        const head = { version: searcher.version, mode, tookMs: Math.round(tookMs * 100) / 100 };
        if (queries === undefined) return { ...head, hits: results[0] };
        return { ...head, results: results.map((hits) => ({ hits })) };
      });
    },
  );
};
