import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { fullText } from '../../data/dataset.js';
import type { EncodeTextsOptions, Searcher } from '../../search/searcher.js';
import { errors } from '../answers/errors.js';
import { version } from '../answers/hits.js';
import { ApiError } from '../api-error.js';
import { type ServeContext, workOn } from '../context.js';
import { checkModel } from '../model-names.js';
import { requireModel } from '../require-mode.js';
import { documentId, listOf, text } from '../schemas.js';

type Candidate = string | { id: string } | { text: string };

/** `POST /v1/rerank` and `/v2/rerank`, in the shape that clients of Cohere's API know. */
export const rerankRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  const { limits, metrics } = context;
  const candidate = text(limits.textLength);
  const documents = listOf(
    z.union([candidate, z.strictObject({ id: documentId }), z.strictObject({ text: candidate })]),
    { max: limits.batch, what: 'documents' },
  );
  const body = z.strictObject({
    query: text(limits.queryLength),
    documents: documents.describe('Texts, or ids of documents that are served.'),
    top_n: z.int().min(1).optional().describe('How many to give back. Default: all.'),
    return_documents: z.boolean().default(false).describe('Gives the texts back, too.'),
    model: z.string().optional().describe('One of /v1/models, if given; `nearmiss` is whatever is served.'),
  });
  const result = z.object({
    index: z.int(),
    relevance_score: z.number(),
    document: z.object({ text: z.string() }).optional().describe('With `return_documents`.'),
  });

  for (const path of ['/v1/rerank', '/v2/rerank']) {
    app.post(
      path,
      {
        schema: {
          tags: ['search'],
          summary: 'Put documents in order for a query',
          description:
            'With the cross-encoder where there is one, else as the model compares its vectors, late interaction included; `scored_by` says which.',
          body,
          response: {
            200: z.object({
              id: z.string().describe('Of the request, as the log has it.'),
              version,
              scored_by: z.string(),
              results: z.array(result),
            }),
            ...errors,
          },
        },
      },
      ({ body: { query, documents, top_n, return_documents, model }, id }, reply) =>
        workOn(context, { reply, size: documents.length }, async (searcher, signal) => {
          checkModel(searcher, model);
          metrics.observeBatch('rerank', documents.length);
          const texts = await textsOf(searcher, documents);
          const scores = await (searcher.reranker?.score(query, texts, { signal }) ??
            scoreByModel(searcher, { query, texts, signal }));
          const order = Array.from(scores, (relevance_score, index) => ({ index, relevance_score })).sort(
            (a, b) => b.relevance_score - a.relevance_score || a.index - b.index,
          );
          return {
            id,
            version: searcher.version,
            scored_by: searcher.reranker?.name ?? requireModel(searcher).name,
            results: order
              .slice(0, top_n)
              .map((one) => (return_documents ? { ...one, document: { text: texts[one.index] } } : one)),
          };
        }),
    );
  }
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

async function scoreByModel(
  searcher: Searcher,
  { query, texts, ...options }: { query: string; texts: readonly string[] } & EncodeTextsOptions,
): Promise<Float32Array> {
  requireModel(searcher);
  return searcher.score(query, texts, options);
}
