import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { queryId } from '../../data/judged/query-id.js';
import { type DocumentFilter, documentFilterSchema } from '../../search/filter/filter.js';
import { searchGroups } from '../../search/group-hits.js';
import { firstModeNames } from '../../search/retrievers/modes.js';
import type { SearchMode } from '../../search/retrievers/retriever.js';
import type { CascadeChoice, Searcher } from '../../search/searcher.js';
import { errors } from '../answers/errors.js';
import { batchAnswer, type Hit, searchAnswer } from '../answers/hits.js';
import { type ServeContext, workOn } from '../context.js';
import { EXPORT_FORMATS, type ExportFormat, hitsAsCsv, hitsAsTrec } from '../export/export-hits.js';
import { presentHits } from '../present-hits.js';
import { requireMode } from '../require-mode.js';
import { filterParameter, listOf, modeAmong, searchMode, text } from '../schemas.js';
import { sendText, textAnswer } from '../text-answer.js';

interface Asked {
  texts: readonly string[];
  mode?: SearchMode;
  k: number;
  filter?: DocumentFilter;
  explain: boolean;
  snippets: boolean;
  groupBy?: string;
  rerank?: CascadeChoice;
  /** Of whoever asks: what nobody waits for any more is not computed. */
  signal: AbortSignal;
}

/** Reading a body holds everybody up; queries and a filter are never longer than this. */
const MAX_BODY_BYTES = 2 * 2 ** 20;

/** `POST /v1/search`: one query, or several at once; `GET /v1/search?q=`: one, as JSON or as a file. */
export const searchRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  const { limits } = context;
  const query = text(limits.queryLength);
  const tags = ['search'];
  const mode = searchMode.optional().describe('Default: what /v1/info calls defaultMode.');
  const groupBy = z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe('One hit for each value of this field of the metadata; `file`: for each file of a folder.');
  const body = z
    .strictObject({
      query: query.optional(),
      queries: listOf(query, { max: limits.batch, what: 'queries' }).optional(),
      mode,
      k: z.int().min(1).max(limits.k).default(10).describe('Hits for each query.'),
      filter: documentFilterSchema
        .optional()
        .describe('Only documents whose metadata match, e.g. {"year": {"$gte": 2004}}.'),
      explain: z.boolean().default(false).describe('Says how each score came about.'),
      snippets: z.boolean().default(true),
      groupBy,
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
    .refine(({ rerank, mode: chosen }) => rerank === undefined || chosen === 'cascade', {
      message: 'expected "mode": "cascade" with "rerank"',
    });

  app.post(
    '/v1/search',
    {
      bodyLimit: Math.min(limits.bodyBytes, MAX_BODY_BYTES),
      schema: {
        tags,
        summary: 'Search',
        description: 'Finds documents for `query`, or for each of `queries`.',
        body,
        response: { 200: z.union([searchAnswer, batchAnswer]), ...errors },
      },
    },
    ({ body: { query: one, queries, ...rest } }, reply) => {
      const texts = queries ?? [one!];
      return workOn(context, { reply, size: texts.length }, async (searcher, signal) => {
        const { results, ...head } = await search(context, searcher, { texts, ...rest, signal });
        if (queries === undefined) return { ...head, hits: results[0] };
        return { ...head, results: results.map((hits) => ({ hits })) };
      });
    },
  );

  app.get(
    '/v1/search',
    {
      schema: {
        tags,
        summary: 'Search, from an address',
        description: 'One query. `format` gives the hits as a file: for a spreadsheet, or for trec_eval.',
        querystring: z.strictObject({
          q: query.describe('The query.'),
          mode,
          k: z.coerce.number().int().min(1).max(limits.k).default(10),
          filter: filterParameter.optional(),
          explain: z.stringbool().default(false),
          snippets: z.stringbool().default(true),
          groupBy,
          format: z.enum(Object.keys(EXPORT_FORMATS) as [ExportFormat, ...ExportFormat[]]).default('json'),
        }),
        response: {
          200: {
            description: 'Hits.',
            content: {
              'application/json': { schema: searchAnswer },
              ...textAnswer('', 'text/csv').content,
              ...textAnswer('', 'text/plain').content,
            },
          },
          ...errors,
        },
      },
    },
    ({ query: { q, format, ...rest } }, reply) =>
      workOn(context, { reply, size: 1 }, async (searcher, signal) => {
        const { results, ...head } = await search(context, searcher, { texts: [q], ...rest, signal });
        const [hits] = results;
        if (format === 'json') return { ...head, hits };
        const content =
          format === 'csv' ? hitsAsCsv(hits) : hitsAsTrec(hits, { query: queryId(q), tag: head.mode });
        reply.header('content-disposition', `attachment; filename="${queryId(q)}-${head.mode}.${format}"`);
        return sendText(reply, EXPORT_FORMATS[format], content);
      }),
  );
};

async function search(
  { collection, metrics, fields }: ServeContext,
  searcher: Searcher,
  { texts, k, filter, explain, snippets, rerank, groupBy, signal, ...asked }: Asked,
): Promise<{ version: string; mode: SearchMode; tookMs: number; results: Hit[][] }> {
  const start = performance.now();
  const mode = asked.mode ?? searcher.defaultMode;
  requireMode(searcher, mode, collection);
  if (rerank?.first !== undefined) requireMode(searcher, rerank.first, collection);
  await fields.check(searcher, { filter, groupBy, signal });
  const [retriever, options] = [searcher.retriever(mode, rerank), { k, filter, explain, signal }];
  const found =
    groupBy === undefined
      ? await retriever.search(texts, options)
      : await searchGroups(retriever, searcher.documents, texts, { ...options, groupBy });
  const results = await presentHits(searcher, found, { queries: snippets ? texts : undefined, signal });
  const tookMs = performance.now() - start;
  metrics.observeSearch(mode, tookMs);
  metrics.observeBatch('queries', texts.length);
  return { version: searcher.version, mode, tookMs: Math.round(tookMs * 100) / 100, results };
}
