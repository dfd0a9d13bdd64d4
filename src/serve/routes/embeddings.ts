import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Turn } from '../../base/turn.js';
import { errors } from '../answers/errors.js';
import { version } from '../answers/hits.js';
import { ApiError } from '../api-error.js';
import { type ServeContext, workOn } from '../context.js';
import { checkModel } from '../model-names.js';
import { requireModel } from '../require-mode.js';
import { listOf, text } from '../schemas.js';

/** `POST /v1/embeddings`, in the shape that clients of OpenAI's API know. */
export const embeddingRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  const { collection, limits, metrics } = context;
  const element = text(limits.textLength);
  const texts = z.union([element, listOf(element, { max: limits.batch, what: 'texts' })]);

  app.post(
    '/v1/embeddings',
    {
      schema: {
        tags: ['vectors'],
        summary: 'Vectors of texts',
        description:
          "As OpenAI's, with `input_type` besides: queries and documents may be encoded differently.",
        body: z.strictObject({
          input: z.preprocess(refuseClearly(limits.batch), texts),
          model: z
            .string()
            .optional()
            .describe('One of /v1/models, if given; `nearmiss` is whatever is served.'),
          encoding_format: z
            .enum(['float', 'base64'])
            .default('float')
            .describe('base64: little-endian 32-bit floats.'),
          dimensions: z.int().optional().describe("If given, it must be the model's."),
          input_type: z.enum(['query', 'document']).default('query'),
          user: z.string().optional().describe('Taken for the sake of clients that send it; not used.'),
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
    ({ body }, reply) => {
      const texts = typeof body.input === 'string' ? [body.input] : body.input;
      return workOn(context, { reply, size: texts.length }, async (searcher, signal) => {
        const { name, dimension } = requireModel(searcher, collection);
        checkModel(searcher, body.model);
        if (body.dimensions !== undefined && body.dimensions !== dimension) {
          throw new ApiError(
            400,
            'bad_request',
            `body: field "dimensions": expected ${dimension}, as many as "${name}" has, got ${body.dimensions}`,
            { hint: 'leave "dimensions" out: vectors are not shortened here' },
          );
        }
        metrics.observeBatch('embeddings', texts.length);
        const vectors = await searcher.encode(texts, body.input_type, { signal });
        // As text, piece by piece: the numbers of a thousand vectors in one go would hold everybody up.
        const pieces: string[] = [];
        const turn = await Turn.begin(signal);
        for (let index = 0; index < texts.length; index++) {
          const vector = vectors.subarray(index * dimension, (index + 1) * dimension);
          const embedding = body.encoding_format === 'base64' ? toBase64(vector) : Array.from(vector);
          pieces.push(JSON.stringify({ object: 'embedding', index, embedding }));
          if (turn.isOver) await turn.next(signal);
        }
        reply.type('application/json; charset=utf-8');
        const head = JSON.stringify({ object: 'list', version: searcher.version, model: name });
        return `${head.slice(0, -1)},"data":[${pieces.join(',')}]}`;
        // The types know the object, not the text that it is sent as.
      }) as never;
    },
  );
};

/** Says of what clients of OpenAI may send, and what is not taken here, what is. */
function refuseClearly(most: number) {
  return (input: unknown, context: z.RefinementCtx): unknown => {
    const refuse = (message: string): unknown => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (!Array.isArray(input)) return input;
    if (input.length > most) {
      return refuse(`expected at most ${most} texts in one request (send the others in more requests)`);
    }
    if (input.some((one) => typeof one === 'number' || Array.isArray(one))) {
      return refuse(
        'expected texts, not tokens (token numbers of another tokenizer mean nothing here; in LangChain set check_embedding_ctx_length=False)',
      );
    }
    return input;
  };
}

function toBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}
