import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ApiError } from '../api-error.js';
import type { ServeContext } from '../context.js';
import { errors, searchMode, version } from '../schemas.js';

const tags = ['server'];

/** What is served, how it is doing, and looking for something newer. */
export const statusRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  const { index, metrics, runs, preparations } = context;

  app.get(
    '/v1/info',
    {
      schema: {
        tags,
        summary: 'What is served',
        response: {
          200: z.object({
            name: z.string(),
            version,
            documents: z.int(),
            modes: z.array(searchMode),
            defaultMode: searchMode,
            model: z.object({ name: z.string(), dimension: z.int() }).optional(),
            writable: z.boolean(),
            auth: z.enum(['none', 'required']),
            run: z.string().optional().describe('The run that is served, where it is one.'),
            runs: z.array(z.string()),
            runsOfCollection: z.array(z.string()).describe('Those whose documents are the served ones.'),
          }),
          ...errors,
        },
      },
    },
    () =>
      index.use(async ({ name, version, documents, modes, defaultMode, model }) => {
        const names = await runs.list();
        return {
          name,
          version,
          documents: documents.count,
          modes: [...modes],
          defaultMode,
          model,
          writable: context.writable,
          auth: context.auth,
          run: runs.served,
          runs: names,
          runsOfCollection: await runs.ofCollection(names),
        };
      }),
  );

  app.get(
    '/v1/status',
    {
      schema: {
        tags,
        summary: 'How far it is with what it is making',
        description:
          'Answers at once, also before there is an index. A version other than before has what was being made, so ' +
          'ask /v1/info again.',
        response: {
          200: z.object({
            version: version.optional().describe('Left out until the first version answers.'),
            preparing: z.array(
              z.object({
                label: z.string().describe('E.g. encode with sentence-transformers/all-MiniLM-L6-v2.'),
                unit: z.string(),
                done: z.int(),
                total: z.int().optional(),
                secondsLeft: z.int().optional(),
              }),
            ),
            failure: z.string().optional().describe('Why something that was to come does not.'),
          }),
          ...errors,
        },
      },
    },
    async () => {
      const { states: preparing, failure } = preparations;
      return { version: index.version, preparing, failure };
    },
  );

  app.get(
    '/v1/health',
    {
      config: { access: 'public' },
      schema: {
        tags,
        summary: 'Whether it answers',
        description: '503 until the index is open.',
        security: [],
        response: {
          200: z.object({ status: z.literal('ok'), version }),
          ...errors,
        },
      },
    },
    async () => {
      if (index.version !== undefined) return { status: 'ok' as const, version: index.version };
      throw new ApiError(503, 'starting', 'the index is being opened', { retryAfter: 1 });
    },
  );

  app.post(
    '/v1/admin/reload',
    {
      config: { access: 'admin' },
      schema: {
        tags,
        summary: 'Look for a newer index',
        description: 'Opens it beside the present one and lets it take over; no request fails or sees both.',
        response: { 200: z.object({ version, changed: z.boolean() }), ...errors },
      },
    },
    () => context.reload(),
  );

  app.get(
    '/metrics',
    {
      schema: {
        tags,
        summary: "Measurements in Prometheus' text format",
        response: {
          200: { description: 'Measurements.', content: { 'text/plain': { schema: z.string() } } },
          ...errors,
        },
      },
    },
    async (_, reply) => {
      reply.type(metrics.registry.contentType);
      return metrics.registry.metrics();
    },
  );
};
