import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { errors } from '../answers/errors.js';
import { facets } from '../answers/facets.js';
import { type ServeContext, workOn } from '../context.js';
import { filterParameter } from '../schemas.js';

/** `GET /v1/facets`: what there is to filter by. */
export const facetRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  app.get(
    '/v1/facets',
    {
      schema: {
        tags: ['search'],
        summary: 'Fields of the metadata, their values and how many documents have each',
        description: 'With a filter: among the documents that match it.',
        querystring: z.strictObject({
          filter: filterParameter.optional(),
          values: z.coerce.number().int().min(1).max(200).default(20).describe('Values for each field.'),
        }),
        response: { 200: facets, ...errors },
      },
    },
    ({ query: { filter, values } }, reply) =>
      workOn(context, { reply, size: 1 }, async (searcher, signal) => {
        await context.fields.check(searcher, { filter, signal });
        const counted = await context.fields.facets(searcher, { filter, values, signal });
        return { version: searcher.version, ...counted };
      }),
  );
};
