import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { fullText } from '../../data/dataset.js';
import type { Searcher } from '../../search/searcher.js';
import { errors } from '../answers/errors.js';
import { version } from '../answers/hits.js';
import { ApiError } from '../api-error.js';
import { type ServeContext, workOn } from '../context.js';
import { requireModel } from '../require-mode.js';
import { documentId, text } from '../schemas.js';

type Candidate = string | { id: string } | { text: string };

/** `POST /v1/rerank`, in the shape that clients of Cohere's API know. */
export const rerankRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  const { limits, metrics } = context;
  const candidate = text(limits.textLength);

  app.post(
    '/v1/rerank',
    {
      schema: {
        tags: ['search'],
        summary: 'Put documents in order for a query',
        description:
          'With the cross-encoder where there is one, else by the vectors of the model; `scored_by` says which.',
        body: z.object({
          query: text(limits.queryLength),
          documents: z
            .array(
              z.union([candidate, z.strictObject({ id: documentId }), z.strictObject({ text: candidate })]),
            )
            .min(1)
            .max(limits.batch)
            .describe('Texts, or ids of documents that are served.'),
          top_n: z.int().min(1).optional().describe('How many to give back. Default: all.'),
        }),
        response: {
          200: z.object({
            version,
            scored_by: z.string(),
            results: z.array(z.object({ index: z.int(), relevance_score: z.number() })),
          }),
          ...errors,
        },
      },
    },
    ({ body: { query, documents, top_n } }, reply) =>
      workOn(context, reply, async (searcher) => {
        metrics.observeBatch('rerank', documents.length);
        const texts = await textsOf(searcher, documents);
        const scores = await (searcher.reranker?.score(query, texts) ??
          scoreByVectors(searcher, query, texts));
        const results = Array.from(scores, (relevance_score, index) => ({ index, relevance_score })).sort(
          (a, b) => b.relevance_score - a.relevance_score || a.index - b.index,
        );
        return {
          version: searcher.version,
          scored_by: searcher.reranker?.name ?? requireModel(searcher).name,
          results: results.slice(0, top_n),
        };
      }),
  );
};

async function textsOf(searcher: Searcher, candidates: readonly Candidate[]): Promise<string[]> {
  return Promise.all(
    candidates.map(async (candidate, i) => {
      if (typeof candidate === 'string') return candidate;
      if ('text' in candidate) return candidate.text;
      const document = await searcher.documents.get(candidate.id);
      if (document !== undefined) return fullText(document);
      throw new ApiError(400, 'bad_request', `documents[${i}]: there is no document "${candidate.id}"`);
    }),
  );
}

async function scoreByVectors(
  searcher: Searcher,
  query: string,
  texts: readonly string[],
): Promise<Float32Array> {
  const { dimension } = requireModel(searcher);
  const [vector, vectors] = await Promise.all([
    searcher.encode([query], 'query'),
    searcher.encode(texts, 'document'),
  ]);
  return Float32Array.from(texts, (_, i) =>
    vector.reduce((sum, value, d) => sum + value * vectors[i * dimension + d], 0),
  );
}
