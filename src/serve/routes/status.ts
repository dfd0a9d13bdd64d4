import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { errors } from '../answers/errors.js';
import { version } from '../answers/hits.js';
import { examples, info } from '../answers/info.js';
import { status } from '../answers/status.js';
import { ApiError } from '../api-error.js';
import type { ServeContext } from '../context.js';

const tags = ['server'];

/** What is served, how it is doing, and looking for something newer. */
export const statusRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  const { collection, index, metrics } = context;
  const { runs, about } = collection;

  app.get(
    '/v1/info',
    {
      schema: {
        tags,
        summary: 'What is served',
        response: {
          200: info,
          ...errors,
        },
      },
    },
    () =>
      index.use(async ({ name, version, documents, modes, defaultMode, model }) => {
        const names = await runs.list();
        const trained = model && (await about.model?.().catch(() => undefined));
        return {
          name,
          version,
          documents: documents.count,
          modes: [...modes],
          coming: collection.isCompleting,
          defaultMode,
          model: model && { ...model, label: model.name, ...trained },
          collections: context.collections.map(({ name: called, path }) => ({ name: called || name, path })),
          writable: context.writable,
          trainable: context.writable && collection.trainings !== undefined,
          auth: context.auth,
          run: runs.served ?? runs.nameOf(collection.model?.run),
          choosable: context.writable && collection.model !== undefined,
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
        response: { 200: status, ...errors },
      },
    },
    async () => {
      const { states: preparing, failure } = collection.preparations;
      return {
        version: index.version,
        preparing,
        coming: collection.isCompleting,
        model: collection.model?.coming,
        failure,
      };
    },
  );

  app.get(
    '/v1/examples',
    {
      schema: {
        tags,
        summary: 'Queries to try',
        description: 'Of the collection, or titles of its documents.',
        response: { 200: examples, ...errors },
      },
    },
    async () => ({ queries: (await about.examples?.()) ?? [] }),
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
    () => collection.reload(),
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
      const { contentType, text } = await metrics.text();
      reply.type(contentType);
      return text;
    },
  );
};
