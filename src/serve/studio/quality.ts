import { z } from 'zod';
import type { Quality } from '../../analyze/quality/quality.js';
import { errors } from '../answers/errors.js';
import {
  computing,
  runParams as params,
  qualityCase,
  quality as schema,
  wantedStep,
} from '../answers/studies.js';
import { ApiError } from '../api-error.js';
import { documentId } from '../schemas.js';
import { lookAt, runNamed } from './study-errors.js';
import { openDesk, STUDY_TAGS, type StudyRoutes } from './study-routes.js';

const split = z.string().min(1).max(100).optional().describe('Default: the one that the recipe measures on.');

const start = z
  .stringbool()
  .default(false)
  .describe(
    'Measure what training began with, too, also where the whole collection has to be encoded for that.',
  );

/** How good a run's model is beside BM25, for the Quality page. */
export const qualityRoutes: StudyRoutes = async (app, { runs }) => {
  const desk = openDesk(app);

  app.get(
    '/v1/runs/:run/quality',
    {
      schema: {
        tags: STUDY_TAGS,
        summary: 'Measures of BM25, the model before and after training, and their hybrid',
        description:
          'With significance against BM25 and the values of every query. Computed when first asked for (202 meanwhile) and kept in the run.',
        params,
        querystring: z.strictObject({ split, step: wantedStep, start }),
        response: { 200: schema, 202: computing, ...errors },
      },
    },
    (request, reply) => {
      const { run: name } = request.params;
      return lookAt(request, name, async () => {
        const run = runNamed(runs, name);
        const [{ hasStart, qualityKey, readQuality }, { openRunData }, { readRunDescription }, { runStudy }] =
          await Promise.all([
            import('../../analyze/quality/quality-files.js'),
            import('../../run/collection/open-run-data.js'),
            import('../../run/run-description.js'),
            import('../../analyze/run-study.js'),
          ]);
        const key = await qualityKey(run, request.query);
        const splits = await (await openRunData(run, await readRunDescription(run))).splits();
        const kept = await readQuality(run, key);
        const { start } = request.query;
        if (kept && (!start || hasStart(kept))) return ready(kept, splits);
        const answer = await desk.ask<Quality>(
          JSON.stringify([run.path, key.split, key.step, start]),
          (tools) => runStudy('quality', { run: run.path, data: run.data, ...key, start }, tools),
        );
        if (answer.state === 'ready') return ready(answer.value, splits);
        return reply.code(202).send(answer);
      });
    },
  );

  app.get(
    '/v1/runs/:run/quality/cases',
    {
      schema: {
        tags: STUDY_TAGS,
        summary: 'What BM25 and the model find for one query, side by side',
        params,
        querystring: z.strictObject({
          query: documentId.describe("The query's id."),
          split,
          step: wantedStep,
        }),
        response: { 200: qualityCase, ...errors },
      },
    },
    (request) => {
      const { run: name } = request.params;
      const { query, ...rest } = request.query;
      return lookAt(request, name, async () => {
        const run = runNamed(runs, name);
        const { qualityKey, readQualityCase } = await import('../../analyze/quality/quality-files.js');
        const found = await readQualityCase(run, { ...(await qualityKey(run, rest)), query });
        if (found) return found;
        throw new ApiError(404, 'not_found', `"${query}" was not measured in "${name}"`, {
          hint: `GET /v1/runs/${encodeURIComponent(name)}/quality measures a split and lists its queries`,
        });
      });
    },
  );
};

/** The answer; which format it was kept in is the file's own matter. */
function ready({ format: _, ...quality }: Quality, splits: string[]) {
  return { state: 'ready' as const, splits, ...quality };
}
