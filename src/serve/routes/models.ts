import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { errors } from '../answers/errors.js';
import { ApiError } from '../api-error.js';
import type { ServeContext } from '../context.js';
import { modelNames } from '../model-names.js';

const model = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int().describe('When the server was started, in seconds since 1970.'),
  owned_by: z.string(),
});

/** `GET /v1/models`, which clients of OpenAI's API ask for what they may name. */
export const modelRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
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
};
