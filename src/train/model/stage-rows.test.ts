import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { whole } from '../../base/settings.js';
import { Encoder, loadEncoderModel, rowsOf } from '../../model/index.js';
import { negatives, negativesKind, RandomSource } from '../../negatives/index.js';
import { loadRecipe } from '../../recipe/load.js';
import { EventWriter } from '../../run/events.js';
import { openRun } from '../../run/open-run.js';
import { planRun } from '../../run/plan.js';
import { bothRoles, eventsOf, startRun } from '../run.fixture.js';
import { writeSynonyms } from '../synonyms.fixture.js';
import type { StageContext } from '../task/task.js';
import { trainedKinds } from './kinds.js';
import { StageRows } from './stage-rows.js';

const session = { threads: 1 };
const ADORE = [
  'model.towers=two',
  'stages=[{name: adore, steps: 4, freeze: [documents], negatives: [{source: searched, count: 5}], loss: lambda}]',
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-rows-'));
  await writeSynonyms(join(folder, 'data'), { words: 8, seed: 4 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A stage at the end of a small run, as a task opens it. */
async function stageOf(name: string, set: string[]): Promise<StageContext> {
  const { path } = await startRun(folder, name, { set });
  const { run, description, data, stages } = await openRun(path, { quiet: true });
  await bothRoles(run);
  const plan = planRun(description.recipe);
  const model = await trainedKinds.get('dual').load(run.stepPath('checkpoints', plan.totalSteps));
  const events = await EventWriter.open(run.file('events', 'trainer.jsonl'));
  const common = { run, description, recipe: description.recipe, plan, data, stages, model, events, session };
  return { ...common, stage: plan.stages[0], learns: () => true, shouldStop: async () => false };
}

const near = (found: Float32Array, expected: Float32Array): void => {
  expect(found).toHaveLength(expected.length);
  for (const [i, value] of found.entries()) expect(value).toBeCloseTo(expected[i], 4);
};

test('frozen documents are stored, queries follow the weights, and texts of no collection are encoded', async () => {
  const context = await stageOf('adore', ADORE);
  const { run, data, model, plan } = context;
  const rows = await StageRows.open(context);
  expect(rows.frozen).toEqual(['documents']);
  const tower = (side: string) => loadEncoderModel(join(run.stepPath('checkpoints', plan.totalSteps), side));
  const [queries, documents] = await Promise.all(
    ['query', 'document'].map(async (side) => Encoder.create(await tower(side), { session })),
  );

  const [text] = (await data.documents.texts([2])).texts;
  const found = await rows.of('documents', [3, text, 0]);
  near(found.vectors, (await documents.encodeTokens(await data.documents.texts([3, 2, 0]))).vectors);

  const before = await rows.of('queries', [1, 0]);
  near(before.vectors, (await queries.encodeTokens(await data.queries.texts([1, 0]))).vectors);
  const { k, ids, scores } = await rows.search(before, 3);
  const all = await rows.of('documents', [...Array(data.documents.count).keys()]);
  const products = [...Array(data.documents.count).keys()].map((document) =>
    rowsOf(all, document).reduce((sum, value, i) => sum + value * before.vectors[i], 0),
  );
  expect(scores[0]).toBeCloseTo(Math.max(...products), 4);
  expect(products[ids[k - 1]]).toBeCloseTo(products.toSorted((a, b) => b - a)[k - 1], 4);

  // Another direction and not another length alone, as vectors are normalized.
  model.parameters.buffer.forEach((value, i, all) => {
    all[i] = i % 3 === 0 ? -value : value;
  });
  const after = await rows.of('queries', [1, 0]);
  expect(Math.max(...after.vectors.map((value, i) => Math.abs(value - before.vectors[i])))).toBeGreaterThan(
    0.1,
  );
  expect((await rows.of('documents', [3])).vectors).toEqual(rowsOf(found, 0));
  await rows.close();
  await context.events.close();
  await Promise.all([queries.release(), documents.release()]);
});

test("a source of a module's own draws by the weights of the moment, where everything learns", async () => {
  const picked = new Map<number, Set<number>>();
  const hardestNow = negatives.register(
    negativesKind({
      name: 'hardest-now',
      description: 'the best scored of some documents, by the present weights',
      options: { count: whole(1).default(1).describe('negatives for each query and step') },
      async open(_, context) {
        const some = new RandomSource(context);
        return {
          async at(_step, { members, queryRows }) {
            const queries = await queryRows();
            const everything = [...Array(context.documentCount).keys()];
            const documents = await context.documentRows(everything);
            return {
              name: 'hardest-now',
              sample(member, random, count) {
                const query = rowsOf(queries, members.indexOf(member));
                const score = (document: number): number =>
                  rowsOf(documents, document).reduce((sum, value, i) => sum + value * query[i], 0);
                const drawn = some
                  .sample(member, random, context.documentCount)
                  .sort((a, b) => score(b.document) - score(a.document));
                picked.set(member, (picked.get(member) ?? new Set()).add(drawn[0].document));
                return drawn.slice(0, count).map(({ document }) => ({ document, source: 'hardest-now' }));
              },
            };
          },
        };
      },
    }),
  );
  const run = await startRun(folder, 'hardest', {
    set: ['optimizer.learningRate=1e-2', 'stages=[{name: train, steps: 12, negatives: [hardest-now]}]'],
  });
  await bothRoles(run);
  const steps = (await eventsOf(run, 'trainer')).filter((event) => event.type === 'step');
  expect(steps).toHaveLength(12);
  // All documents are drawn from at each step, so that only other weights make another one the hardest.
  expect([...picked.values()].some(({ size }) => size > 1)).toBe(true);
  negatives.remove(hardestNow);
  await expect(loadRecipe('tiny', { set: ['stages.ance.negatives=[hardest-now]'] })).rejects.toThrow(
    /hardest/,
  );
});
