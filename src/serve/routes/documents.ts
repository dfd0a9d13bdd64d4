import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Document } from '../../data/index.js';
import { placeOf } from '../../search/passage-place.js';
import { documentAnswer, written } from '../answers/documents.js';
import { errors } from '../answers/errors.js';
import { neighbours, version } from '../answers/hits.js';
import { ApiError } from '../api-error.js';
import { goneSignal, type ServeContext, workOn } from '../context.js';
import { highlightsIn, presentHits } from '../present-hits.js';
import { requireModel } from '../require-mode.js';
import { documentId, listOf, metadata, newDocumentId } from '../schemas.js';
import { storing } from '../storage-error.js';

const params = z.object({ id: documentId });

/** Documents by id, their neighbours, and changes to them. */
export const documentRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  const { index, admission, limits, metrics } = context;
  const content = {
    title: z.string().max(limits.textLength).optional(),
    text: z.string().max(limits.textLength),
    metadata: metadata.optional(),
  };
  const tags = ['documents'];
  const write = { access: 'write' } as const;

  app.get(
    '/v1/documents/:id',
    {
      schema: {
        tags,
        summary: 'One document',
        params,
        querystring: z.strictObject({
          query: z.string().max(limits.textLength).optional().describe('Whose words to highlight.'),
        }),
        response: {
          200: documentAnswer,
          ...errors,
        },
      },
    },
    ({ params: { id }, query: { query } }) =>
      index.use(async (searcher) => {
        const document = await searcher.documents.get(id);
        if (document === undefined) throw noDocument(id);
        const { text, title } = document;
        const place = placeOf(document, (other) => searcher.documents.has(other));
        const answer = { version: searcher.version, ...document, ...(place && { place }) };
        if (query === undefined) return answer;
        const terms = searcher.queryTerms(query);
        const found = highlightsIn(searcher, terms, text);
        const inTitle = title ? highlightsIn(searcher, terms, title) : undefined;
        return {
          ...answer,
          ...(found && { highlights: found }),
          ...(inTitle && { titleHighlights: inTitle }),
        };
      }),
  );

  app.get(
    '/v1/documents/:id/neighbours',
    {
      schema: {
        tags,
        summary: 'The documents nearest to one',
        params,
        querystring: z.strictObject({ k: z.coerce.number().int().min(1).max(limits.k).default(10) }),
        response: { 200: neighbours, ...errors },
      },
    },
    ({ params: { id }, query: { k } }, reply) =>
      workOn(context, { reply, size: 1 }, async (searcher, signal) => {
        requireModel(searcher, context.collection);
        if (!searcher.documents.has(id)) throw noDocument(id);
        const vector = await searcher.vectorOf(id);
        if (vector === undefined) throw noDocument(id);
        // The nearest of all is the document itself.
        const [found] = await searcher.searchVectors(vector, { k: k + 1, signal });
        const others = found.filter((other) => other.id !== id).slice(0, k);
        const [hits] = await presentHits(searcher, [others], { signal });
        return { version: searcher.version, hits };
      }),
  );

  app.post(
    '/v1/documents',
    {
      config: write,
      schema: {
        tags,
        summary: 'Add or replace documents',
        description: 'All of them or none; on disk and found by every search that begins after the answer.',
        body: z.strictObject({
          documents: listOf(z.strictObject({ id: newDocumentId, ...content }), {
            max: limits.batch,
            what: 'documents',
          }),
        }),
        response: { 200: written, ...errors },
      },
    },
    ({ body: { documents } }, reply) => {
      metrics.observeBatch('documents', documents.length);
      return upsert(documents, goneSignal(reply));
    },
  );

  app.put(
    '/v1/documents/:id',
    {
      config: write,
      schema: {
        tags,
        summary: 'Add or replace one document',
        params: z.object({ id: newDocumentId }),
        body: z.strictObject({ id: documentId.optional(), ...content }),
        response: { 200: z.object({ version, id: z.string(), created: z.boolean() }), ...errors },
      },
    },
    async ({ params: { id }, body }, reply) => {
      if (body.id !== undefined && body.id !== id) {
        throw new ApiError(
          400,
          'bad_request',
          `body: field "id": expected "${id}" as in the path, got another`,
        );
      }
      const { version, added } = await upsert([{ ...body, id }], goneSignal(reply));
      return { version, id, created: added === 1 };
    },
  );

  app.delete(
    '/v1/documents/:id',
    {
      config: write,
      schema: {
        tags,
        summary: 'Remove a document',
        params,
        response: { 200: z.object({ version, id: z.string() }), ...errors },
      },
    },
    async ({ params: { id } }, reply) => {
      const { version, removed } = await admission.run(
        async () => storing((await index.writer()).remove([id])),
        { signal: goneSignal(reply) },
      );
      if (removed === 0) throw noDocument(id);
      return { version, id };
    },
  );

  function upsert(
    documents: readonly Document[],
    signal: AbortSignal,
  ): Promise<{ version: string; added: number; replaced: number }> {
    return admission.run(async () => storing((await index.writer()).upsert(documents)), {
      signal,
      size: documents.length,
    });
  }
};

function noDocument(id: string): ApiError {
  return new ApiError(404, 'not_found', `there is no document "${id}"`, {
    hint: 'ids are those of the collection; percent-encode them in a path',
  });
}
