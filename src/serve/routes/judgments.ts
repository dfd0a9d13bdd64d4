import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Turn } from '../../base/turn.js';
import { queryId } from '../../data/judged/query-id.js';
import { errors } from '../answers/errors.js';
import { type Judgment, judged, judgments } from '../answers/judgments.js';
import { ApiError } from '../api-error.js';
import { goneSignal, type ServeContext } from '../context.js';
import type { JudgmentStore } from '../judgments/judgment-store.js';
import { documentId, listOf, text } from '../schemas.js';
import { storing } from '../storage-error.js';
import { sendText, textAnswer } from '../text-answer.js';

const NEWEST = 100;
const MOST_GRADE = 10;

/** Hits that people called right or wrong: the judgments that a search is measured and a model is trained with. */
export const judgmentRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  const { index, admission, limits } = context;
  const tags = ['judgments'];
  const query = text(limits.queryLength);

  app.post(
    '/v1/judgments',
    {
      config: { access: 'write' },
      schema: {
        tags,
        summary: 'Call hits right or wrong',
        description:
          'On disk when it is answered. Of two about the same query and document the later counts.',
        body: z.strictObject({
          judgments: listOf(
            z.strictObject({
              query,
              document: documentId,
              grade: z
                .int()
                .min(0)
                .max(MOST_GRADE)
                .nullable()
                .describe('0: wrong; from 1: right. null takes a judgment back.'),
            }),
            { max: limits.batch, what: 'judgments' },
          ),
        }),
        response: { 200: judged, ...errors },
      },
    },
    ({ body, keyName }, reply) =>
      admission.run(
        async () => {
          const store = await index.judgments();
          await index.use(async ({ documents }) => {
            const unknown = body.judgments.find(
              ({ document, grade }) => grade !== null && !documents.has(document),
            );
            if (unknown !== undefined) {
              throw new ApiError(404, 'not_found', `there is no document "${unknown.document}"`);
            }
          });
          return storing(store.judge(body.judgments, keyName));
        },
        { signal: goneSignal(reply), size: body.judgments.length },
      ),
  );

  app.get(
    '/v1/judgments',
    {
      schema: {
        tags,
        summary: 'Judgments of a query, or the newest',
        querystring: z.strictObject({ query: query.optional() }),
        response: { 200: judgments, ...errors },
      },
    },
    async ({ query: { query: asked } }) => {
      const store = await index.judgments();
      return {
        ...store.counts,
        judgments: asked === undefined ? store.newest(NEWEST) : store.of(asked),
      };
    },
  );

  app.get(
    '/v1/judgments/qrels',
    {
      schema: {
        tags,
        summary: 'All judgments as qrels',
        description:
          'As a file of BEIR (`query-id`, `corpus-id`, `score`, with tabs) or of TREC (`qid 0 docid grade`).',
        querystring: z.strictObject({ format: z.enum(['beir', 'trec']).default('beir') }),
        response: { 200: textAnswer('Qrels.', 'text/plain'), ...errors },
      },
    },
    async ({ query: { format } }, reply) => {
      const lineOf = ({ query: asked, document, grade }: Judgment): string => {
        if (format === 'beir') return `${queryId(asked)}\t${document}\t${grade}\n`;
        if (/\s/.test(document)) throw blank(document);
        return `${queryId(asked)} 0 ${document} ${grade}\n`;
      };
      const lines = await linesOf(reply, (store) => store.all(), lineOf);
      const head = format === 'beir' ? 'query-id\tcorpus-id\tscore\n' : '';
      return sendText(reply, 'text/plain; charset=utf-8', `${head}${lines}`);
    },
  );

  app.get(
    '/v1/judgments/queries',
    {
      schema: {
        tags,
        summary: 'The judged queries, with the ids that the qrels have',
        description: "A line of JSON each: BEIR's queries.jsonl.",
        response: { 200: textAnswer('Queries.', 'application/x-ndjson'), ...errors },
      },
    },
    async (_, reply) => {
      const lines = await linesOf(
        reply,
        (store) => store.queries(),
        ({ id, text: words }) => `${JSON.stringify({ _id: id, text: words })}\n`,
      );
      return sendText(reply, 'application/x-ndjson; charset=utf-8', lines);
    },
  );

  /** A line for each of very many, as a batch among others and some milliseconds at a time. */
  async function linesOf<T>(
    reply: FastifyReply,
    all: (store: JudgmentStore) => Iterable<T>,
    line: (one: T) => string,
  ): Promise<string> {
    const store = await index.judgments();
    const work = async (signal: AbortSignal): Promise<string> => {
      const turn = await Turn.begin(signal);
      const lines: string[] = [];
      for (const one of all(store)) {
        lines.push(line(one));
        if (turn.isOver) await turn.next(signal);
      }
      return lines.join('');
    };
    return admission.run(work, { signal: goneSignal(reply), size: store.counts.total });
  }
};

function blank(id: string): ApiError {
  return new ApiError(422, 'unavailable', `the id ${JSON.stringify(id)} cannot stand in TREC's qrels`, {
    hint: 'their columns are separated by blanks: ask for format=beir',
  });
}
