import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { RunCollection } from '../../analyze/watch/index.js';
import { hasCode, NearmissError } from '../../base/errors.js';
import { errors } from '../answers/errors.js';
import { minedNegatives, runCurves, runDetails, runList, trainingQueries } from '../answers/runs.js';
import { ApiError } from '../api-error.js';
import type { RunCatalog } from '../collections/run-catalog.js';
import { documentId } from '../schemas.js';
import { kindOf } from '../trainings/begun-run.js';
import type { TrainingDesk } from '../trainings/training-desk.js';
import { analyses } from './analyses.js';
import { roundSeries } from './round-series.js';
import { RunAdaptations } from './run-adaptations.js';
import { RunShelf } from './run-shelf.js';
import { runNamed } from './study-errors.js';

const params = z.object({ run: z.string().min(1).max(255) });
const page = {
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(200).default(50),
};

/** Runs, going on or finished, as the Training page shows them. */
export const runsRoutes: FastifyPluginAsyncZod<{
  runs: Pick<RunCatalog, 'list' | 'directoryOf'>;
  /** What goes on with runs that were stopped, for those who may. */
  trainings?: Pick<TrainingDesk, 'holds'>;
}> = async (app, { runs, trainings }) => {
  const shelf = new RunShelf();
  const adaptations = new RunAdaptations();
  app.addHook('onClose', async () => shelf.close());
  const tags = ['runs'];

  app.get(
    '/v1/runs',
    {
      schema: {
        tags,
        summary: 'All runs in a line each',
        response: {
          200: runList,
          ...errors,
        },
      },
    },
    async (request) => {
      const { summarizeRun } = await analyses();
      const unreadable: string[] = [];
      const found = await Promise.all(
        (await runs.list()).map(async (name) => {
          try {
            return [{ name, ...(await summarizeRun(runNamed(runs, name).path)) }];
          } catch (error) {
            request.log.warn({ err: error, run: name }, 'a run cannot be read');
            unreadable.push(name);
            return [];
          }
        }),
      );
      return { runs: found.flat(), unreadable };
    },
  );

  app.get(
    '/v1/runs/:run',
    {
      schema: {
        tags,
        summary: 'One run: recipe, processes, checkpoints',
        params,
        response: { 200: runDetails, ...errors },
      },
    },
    async ({ params: { run: name } }) => {
      const { describeRun } = await analyses();
      const run = runNamed(runs, name);
      const details = await describeRun(await shelf.watched(run.path));
      const mayGoOn = details.state === 'stopped' && trainings?.holds(run.path);
      return {
        name,
        ...details,
        adaptation: await adaptations.of(run, details),
        ...(mayGoOn && { goesOn: kindOf(details.recipe) }),
      };
    },
  );

  app.get(
    '/v1/runs/:run/curves',
    {
      schema: {
        tags,
        summary: 'The curves of a run',
        description:
          'With `If-None-Match`, 304 as long as there are no new events: asking every second is cheap.',
        params,
        response: { 200: runCurves, 304: z.null().describe('Nothing new.'), ...errors },
      },
    },
    async ({ params: { run: name }, headers }, reply) => {
      const watched = await shelf.watched(runNamed(runs, name).path);
      const tagOf = (version: string): string => `W/"${version}"`;
      reply.header('cache-control', 'no-cache');
      if (headers['if-none-match'] === tagOf(await watched.version())) {
        return (reply as FastifyReply).code(304).send();
      }
      const { version, curves } = await watched.curves();
      return reply.header('etag', tagOf(version)).send({ name, version, ...roundSeries(curves) });
    },
  );

  app.get(
    '/v1/runs/:run/queries',
    {
      schema: {
        tags,
        summary: 'Training queries to pick from',
        params,
        querystring: z.strictObject({
          text: z.string().max(500).optional().describe('Words that must stand in the text or id.'),
          ...page,
        }),
        response: { 200: trainingQueries, ...errors },
      },
    },
    ({ params: { run: name }, query }) => inCollection(name, (collection) => collection.findQueries(query)),
  );

  app.get(
    '/v1/runs/:run/negatives',
    {
      schema: {
        tags,
        summary: 'The mined negatives of a training query, with their origin',
        params,
        querystring: z.strictObject({
          query: documentId.describe("The query's id."),
          table: z
            .string()
            .max(64)
            .optional()
            .describe('E.g. step-000300 or bm25-3fa94c1e. Default: the newest.'),
          ...page,
        }),
        response: { 200: minedNegatives, ...errors },
      },
    },
    async ({ params: { run: name }, query: { query: id, table: wanted, offset, limit } }) => {
      const run = runNamed(runs, name);
      const { negativesOf, negativesTables } = await analyses();
      const tables = await negativesTables(run);
      const table = wanted === undefined ? tables[0] : tables.find((one) => one.name === wanted);
      if (!table)
        throw noTable(
          name,
          wanted,
          tables.map((one) => one.name),
        );
      return inCollection(name, async (collection) => {
        const place = collection.placeOf(id);
        const text = place < 0 ? undefined : await collection.queryText(id);
        if (text === undefined) throw noQuery(name, id);
        const options = { run, collection, tables, table, place, offset, limit };
        return { query: { id, text }, tables, ...(await negativesOf(options)) };
      });
    },
  );

  async function inCollection<T>(name: string, work: (collection: RunCollection) => Promise<T>): Promise<T> {
    try {
      return await shelf.withCollection(runNamed(runs, name), work);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (error instanceof (await analyses()).ChangedCollectionError) {
        throw new ApiError(409, 'unavailable', error.message, { hint: error.hint, cause: error });
      }
      if (error instanceof NearmissError || hasCode(error, 'ENOENT')) {
        throw new ApiError(
          409,
          'unavailable',
          `the collection or the negatives of "${name}" cannot be read`,
          {
            hint: 'the server does not find the collection that the run learned from; its log says more',
            cause: error,
          },
        );
      }
      throw error;
    }
  }
};

function noTable(run: string, wanted: string | undefined, names: readonly string[]): ApiError {
  if (wanted === undefined) {
    return new ApiError(404, 'not_found', `"${run}" has no mined negatives (yet)`, {
      hint: 'random and in-batch negatives are drawn anew at each step and not kept',
    });
  }
  return new ApiError(404, 'not_found', `"${run}" has no negatives "${wanted}" (any more)`, {
    hint: `there are ${names.join(', ') || 'none'}; a run keeps the newest (checkpoint.keep)`,
  });
}

function noQuery(run: string, id: string): ApiError {
  return new ApiError(404, 'not_found', `"${id}" is no training query of "${run}"`, {
    hint: `GET /v1/runs/${encodeURIComponent(run)}/queries?text=… finds them`,
  });
}
