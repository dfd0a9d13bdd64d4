import { z } from 'zod';
import type { SpacePicture } from '../../analyze/space/space-picture.js';
import { errors } from '../answers/errors.js';
import {
  computing,
  foundQueries,
  runParams as params,
  spacePicture,
  wantedStep,
} from '../answers/studies.js';
import { documentId } from '../schemas.js';
import { lookAt, runNamed } from './study-errors.js';
import { openDesk, STUDY_TAGS, type StudyRoutes } from './study-routes.js';

/** The space around a query, for the Space page. */
export const spaceRoutes: StudyRoutes = async (app, { runs }) => {
  const desk = openDesk(app);

  app.get(
    '/v1/runs/:run/space',
    {
      schema: {
        tags: STUDY_TAGS,
        summary: 'A query among its positives and negatives, in two dimensions',
        description:
          'By the model as it started and as a checkpoint has it. Computed when first asked for (202 meanwhile) and kept in the run.',
        params,
        querystring: z.strictObject({
          query: documentId
            .optional()
            .describe("The query's id, of any split. Default: one of the dev split."),
          method: z.enum(['tsne', 'umap']).default('tsne'),
          step: wantedStep,
        }),
        response: { 200: spacePicture, 202: computing, ...errors },
      },
    },
    (request, reply) => {
      const { run: name } = request.params;
      const { query, method, step: wanted } = request.query;
      return lookAt(request, name, async () => {
        const run = runNamed(runs, name);
        const [{ shownStep }, { readPicture }, { runStudy }] = await Promise.all([
          import('../../analyze/shown-step.js'),
          import('../../analyze/space/picture.js'),
          import('../../analyze/run-study.js'),
        ]);
        const step = await shownStep(run, wanted);
        const kept = query === undefined ? undefined : await readPicture(run, { step, query, method });
        if (kept) return ready(kept);
        const answer = await desk.ask<SpacePicture>(
          JSON.stringify([run.path, step, query, method]),
          async (tools) => {
            const queries = query === undefined ? undefined : [query];
            const [picture] = await runStudy(
              'space',
              { run: run.path, data: run.data, step, queries, method },
              tools,
            );
            return picture;
          },
        );
        if (answer.state === 'ready') return ready(answer.value);
        return reply.code(202).send(answer);
      });
    },
  );

  app.get(
    '/v1/runs/:run/space/queries',
    {
      schema: {
        tags: STUDY_TAGS,
        summary: 'Queries of any split to pick from',
        params,
        querystring: z.strictObject({
          split: z.string().max(100).optional().describe('Default: the one that the recipe measures on.'),
          text: z.string().max(500).optional().describe('Words that must stand in the text or id.'),
          limit: z.coerce.number().int().min(1).max(200).default(20),
        }),
        response: { 200: foundQueries, ...errors },
      },
    },
    (request) => {
      const { run: name } = request.params;
      return lookAt(request, name, async () => {
        const { findSpaceQueries } = await import('../../analyze/space/find-queries.js');
        return findSpaceQueries(runNamed(runs, name), request.query);
      });
    },
  );
};

/** The answer; which format it was kept in is the file's own matter. */
function ready({ format: _, ...picture }: SpacePicture) {
  return { state: 'ready' as const, ...picture };
}
