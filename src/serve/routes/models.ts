import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { errors } from '../answers/errors.js';
import { ApiError } from '../api-error.js';
import type { ServeContext } from '../context.js';
import { modelNames } from '../model-names.js';
import { runNamed } from '../studio/study-errors.js';

const model = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int().describe('When the server was started, in seconds since 1970.'),
  owned_by: z.string(),
});

const choosing = z.object({
  model: z.string().describe('What takes over by itself: GET /v1/status says how far it is.'),
});

/** `GET /v1/models`, which clients of OpenAI's API ask for what they may name; and which model a collection is searched with. */
export const modelRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  const { collection } = context;
  const created = Math.floor(Date.now() / 1000);
  const describe = (id: string): z.infer<typeof model> => ({
    ...{ id, created },
    object: 'model',
    owned_by: 'nearmiss',
  });
  const tags = ['server'];

  app.get(
    '/v1/models',
    {
      schema: {
        tags,
        summary: 'The names that `model` may have',
        response: { 200: z.object({ object: z.literal('list'), data: z.array(model) }), ...errors },
      },
    },
    () =>
      context.index.use(async (searcher) => ({
        object: 'list' as const,
        data: modelNames(searcher).map(describe),
      })),
  );

  app.get(
    '/v1/models/:id',
    {
      schema: {
        tags,
        summary: 'One of them',
        params: z.object({ id: z.string() }),
        response: { 200: model, ...errors },
      },
    },
    ({ params: { id } }) =>
      context.index.use(async (searcher) => {
        if (modelNames(searcher).includes(id)) return describe(id);
        throw new ApiError(404, 'not_found', 'there is no such model here', {
          hint: 'GET /v1/models lists them',
        });
      }),
  );

  app.put(
    '/v1/model',
    {
      config: { access: 'write' },
      schema: {
        tags,
        summary: "Search the collection with a run's model",
        description:
          'Its vectors are made while the present model goes on answering; then it takes over, for later starts and the command line, too.',
        body: z.strictObject({
          run: z.string().min(1).max(255).describe('Its name: GET /v1/runs lists them.'),
        }),
        response: { 202: choosing, ...errors },
      },
    },
    async ({ body: { run: name } }, reply) => {
      const run = runNamed(collection.runs, name);
      const { modelFolder } = await import('../../search/open/chosen-model.js');
      await modelFolder(run.path).catch((error: Error) => {
        if (!(error instanceof NearmissError)) throw error;
        throw new ApiError(
          422,
          'unavailable',
          `"${name}" has no model to search with: it makes no vectors, or has not been measured yet`,
          {
            hint: 'choose a run that has ended and whose model makes vectors',
            cause: error,
          },
        );
      });
      collection.useModel(run.path);
      return reply.code(202).send({ model: name });
    },
  );

  app.delete(
    '/v1/model',
    {
      config: { access: 'write' },
      schema: {
        tags,
        summary: 'Search with the model as published again',
        response: { 202: choosing, ...errors },
      },
    },
    async (_, reply) => {
      collection.useModel(undefined);
      return reply.code(202).send({ model: collection.model?.coming ?? '' });
    },
  );
};
