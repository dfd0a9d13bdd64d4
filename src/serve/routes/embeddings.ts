import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { errors } from '../answers/errors.js';
import { version } from '../answers/hits.js';
import { ApiError } from '../api-error.js';
import { type ServeContext, workOn } from '../context.js';
import { requireModel } from '../require-mode.js';
import { text } from '../schemas.js';

/** `POST /v1/embeddings`, in the shape that clients of OpenAI's API know. */
export const embeddingRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  const { limits, metrics } = context;
  const input = text(limits.textLength);

  app.post(
    '/v1/embeddings',
    {
      schema: {
        tags: ['vectors'],
        summary: 'Vectors of texts',
        description:
          "As OpenAI's, with `input_type` besides: queries and documents may be encoded differently.",
        body: z.object({
          input: z.union([input, z.array(input).min(1).max(limits.batch)]),
          model: z.string().optional().describe('If given, it must be the model that is served.'),
          encoding_format: z
            .enum(['float', 'base64'])
            .default('float')
            .describe('base64: little-endian 32-bit floats.'),
          dimensions: z.int().optional().describe("If given, it must be the model's."),
          input_type: z.enum(['query', 'document']).default('query'),
        }),
        response: {
          200: z.object({
            object: z.literal('list'),
            version,
            model: z.string(),
            data: z.array(
              z.object({
                object: z.literal('embedding'),
                index: z.int(),
                embedding: z.union([z.array(z.number()), z.string()]),
              }),
            ),
          }),
          ...errors,
        },
      },
    },
    ({ body }, reply) =>
      workOn(context, reply, async (searcher) => {
        const { name, dimension } = requireModel(searcher);
        if (body.model !== undefined && body.model !== name) {
          throw new ApiError(404, 'not_found', `the model "${body.model}" is not served here`, {
            hint: `leave "model" out, or ask for "${name}"`,
          });
        }
        if (body.dimensions !== undefined && body.dimensions !== dimension) {
          throw new ApiError(
            400,
            'bad_request',
            `body: field "dimensions": expected ${dimension}, as many as "${name}" has, got ${body.dimensions}`,
            { hint: 'leave "dimensions" out: vectors are not shortened here' },
          );
        }
        const texts = typeof body.input === 'string' ? [body.input] : body.input;
        metrics.observeBatch('embeddings', texts.length);
        const vectors = await searcher.encode(texts, body.input_type);
        const data = texts.map((_, index) => {
          const vector = vectors.subarray(index * dimension, (index + 1) * dimension);
          const embedding = body.encoding_format === 'base64' ? toBase64(vector) : Array.from(vector);
          return { object: 'embedding' as const, index, embedding };
        });
        return { object: 'list' as const, version: searcher.version, model: name, data };
      }),
  );
};

function toBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}
