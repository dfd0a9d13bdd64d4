import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Dataset } from '../../data/index.js';
import { errors } from '../answers/errors.js';
import { miningPreview, training, trainings } from '../answers/trainings.js';
import { ApiError } from '../api-error.js';
import { type ServeContext, workOn } from '../context.js';
import { requireMode } from '../require-mode.js';
import { searchMode } from '../schemas.js';
import { goesOn } from './begun-run.js';
import { ENOUGH_MARKED, MARKED_SPLIT, writeMarkedQuestions } from './marked-questions.js';
import type { TrainingDesk } from './training-desk.js';

/** A plain name of one folder. */
const runName = z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,99}$/, 'expected letters, digits, . _ and -');

/** Starting, stopping and watching trainings on the served collection. */
export const trainingRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  const { collection, index, writable } = context;
  const tags = ['runs'];
  const write = { access: 'write' } as const;

  app.get(
    '/v1/trainings',
    {
      schema: {
        tags,
        summary: 'What can be trained here, and what is being trained',
        response: { 200: trainings, ...errors },
      },
    },
    async () => {
      const desk = collection.trainings;
      if (desk === undefined || !writable) {
        const reason = writable
          ? 'there is no collection here to learn from'
          : 'this server was started for reading alone, or answers other machines without asking for API keys';
        return { possible: false, reason, adaptable: false, splits: [], recipes: [] };
      }
      const { labelledSplits, offeredRecipes } = await import('./training-choices.js');
      const [splits, recipes] = await Promise.all([
        labelledSplits(desk.data).catch(() => []),
        offeredRecipes(),
      ]);
      const possible = splits.length > 0;
      return {
        possible,
        ...(!possible && {
          reason:
            'the collection has no labels: pairs of a query and a document that answers it. Mark hits as right or wrong on the search page, or add qrels',
        }),
        adaptable: true,
        questions: {
          marked: splits.find(({ name }) => name === MARKED_SPLIT)?.queries ?? 0,
          enough: ENOUGH_MARKED,
        },
        splits,
        recipes,
        newest: desk.newest,
      };
    },
  );

  app.post(
    '/v1/trainings',
    {
      config: write,
      schema: {
        tags,
        summary: 'Start a training',
        description:
          'As `nearmiss train` or `nearmiss adapt` would, one at a time. A run of that name that was stopped goes on where it was; one that has ended stays as it is.',
        body: z.strictObject({
          run: runName.describe('What to call it.'),
          kind: training.shape.kind
            .default('train')
            .describe('`train` learns from labels, `adapt` from the documents alone.'),
          recipe: z.string().max(100).optional().describe('One of those that GET /v1/trainings offers.'),
          split: z.string().min(1).max(100).optional().describe('Whose judgments are learned from.'),
        }),
        response: { 200: training, ...errors },
      },
    },
    async ({ body: { run, kind, recipe, split } }) => {
      const desk = deskOf();
      desk.checkFree();
      if (await goesOn(desk.folderOf(run), { run, kind })) {
        return kind === 'adapt' ? desk.adapt({ run }) : desk.start({ run });
      }
      if (kind === 'adapt') {
        if (recipe !== undefined || split !== undefined) {
          throw new ApiError(400, 'bad_request', 'body: fields "recipe" and "split": adapt takes neither', {
            hint: 'it makes what it learns from of the documents',
          });
        }
        const questions = await writeMarkedQuestions(await openData(desk), {
          file: `${desk.folderOf(run)}-questions.jsonl`,
          present: (ids) =>
            index.use(
              async ({ documents }) =>
                new Set((await documents.getAll(ids)).flatMap((found) => found?.id ?? [])),
            ),
        });
        return desk.adapt({ run, data: await presentDocuments(desk, run), questions });
      }
      const { labelledSplits, offeredRecipes } = await import('./training-choices.js');
      const names = (await offeredRecipes()).map(({ name }) => name);
      if (recipe !== undefined && !names.includes(recipe)) {
        throw new ApiError(
          400,
          'bad_request',
          `body: field "recipe": no recipe "${recipe}" is offered here`,
          {
            hint: `there are ${names.join(', ')}`,
          },
        );
      }
      const splits = (await labelledSplits(desk.data)).map(({ name }) => name);
      if (splits.length === 0) {
        throw new ApiError(422, 'unavailable', 'the collection has no labels to learn from', {
          hint: 'mark hits as right or wrong, or add judgments (qrels) to it',
        });
      }
      if (split !== undefined && !splits.includes(split)) {
        throw new ApiError(400, 'bad_request', `body: field "split": there is no split "${split}"`, {
          hint: `there are ${splits.join(', ')}`,
        });
      }
      const data = await presentDocuments(desk, run, () => openData(desk));
      return desk.start({ run, recipe: recipe ?? names[0], split, data });
    },
  );

  app.delete(
    '/v1/trainings/:run',
    {
      config: write,
      schema: {
        tags,
        summary: 'Stop a training',
        description: 'After the step at hand; what was learned is kept, and it can go on.',
        params: z.object({ run: runName }),
        response: { 200: training, ...errors },
      },
    },
    async ({ params: { run } }) => deskOf().stop(run),
  );

  app.post(
    '/v1/negatives/preview',
    {
      config: write,
      schema: {
        tags,
        summary: 'What rules of mining would keep and drop',
        description:
          'For some labelled queries, ranked by what is served: as `nearmiss mine --preview`, and nothing is written.',
        body: z.strictObject({
          split: z.string().min(1).max(100).default('train'),
          mode: searchMode.default('bm25').describe('What ranks.'),
          depth: z.int().min(1).max(200).default(100).describe('The last rank to look at.'),
          skipRanks: z.int().min(0).max(200).optional(),
          margin: z.number().min(0).max(1e9).optional(),
          relativeMargin: z.number().min(0.01).max(1).optional(),
          maxScore: z.number().min(-1e9).max(1e9).optional(),
          keepDuplicates: z.boolean().optional(),
          show: z.int().min(1).max(20).default(5).describe('How many queries.'),
          seed: z
            .int()
            .min(0)
            .max(2 ** 31)
            .default(42),
        }),
        response: { 200: miningPreview, ...errors },
      },
    },
    async ({ body: { split, mode, depth, show, seed, ...rules } }, reply) => {
      const desk = deskOf();
      const [{ previewRules }, { labelledSplits }] = await Promise.all([
        import('./preview-rules.js'),
        import('./training-choices.js'),
      ]);
      const splits = (await labelledSplits(desk.data)).map(({ name }) => name);
      if (!splits.includes(split)) {
        throw new ApiError(422, 'unavailable', `there are no labels in a split "${split}"`, {
          hint: splits.length > 0 ? `there are ${splits.join(', ')}` : 'mark hits as right or wrong first',
        });
      }
      return workOn(context, { reply, size: show }, async (searcher, signal) => {
        requireMode(searcher, mode, context.collection);
        const dataset = await openData(desk);
        return previewRules(searcher, dataset, { split, mode, depth, rules, show, seed, signal });
      });
    },
  );

  /** The documents as they are served: where some were added or removed, they are written beside the run first. */
  async function presentDocuments(
    desk: TrainingDesk,
    run: string,
    labels?: () => Promise<Dataset>,
  ): Promise<string | undefined> {
    const live = await index.writer();
    const { documents, removals } = live.pending;
    if (documents + removals === 0) return undefined;
    const folder = `${desk.folderOf(run)}-documents`;
    await live.exportCollection(folder, { overwrite: true, labels: await labels?.() });
    return folder;
  }

  async function openData(desk: TrainingDesk): Promise<Dataset> {
    const { openDataset } = await import('../../data/open.js');
    return openDataset(desk.data);
  }

  function deskOf(): TrainingDesk {
    if (collection.trainings !== undefined) return collection.trainings;
    throw new ApiError(403, 'forbidden', 'nothing can be trained here', {
      hint: 'the server needs a collection to learn from, and must not have been started for reading alone',
    });
  }
};
