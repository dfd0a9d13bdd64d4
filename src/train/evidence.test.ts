import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shareWords, writeTinyData } from '../analyze/tiny-run.fixture.js';
import { AdamW } from '../engine/index.js';
import { EventWriter, type StepEvent } from '../run/events.js';
import { newestModel, openRun } from '../run/open-run.js';
import { planRun } from '../run/plan.js';
import { readRunDescription } from '../run/run-description.js';
import type { RunDirectory } from '../run/run-directory.js';
import { Learner, type Measured } from './learner.js';
import { trainedKinds } from './model/kinds.js';
import { bothRoles, eventsOf, startRun } from './run.fixture.js';
import type { Step } from './step/step.js';
import type { RetrievalBatch } from './task/batch.js';
import type { MadeBatch } from './task/batch-maker.js';
import { openTask } from './task/kinds.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-evidence-'));
  await writeTinyData(folder);
  // BM25, too, is to find something.
  await shareWords(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function trained(name: string, set: string[]): Promise<RunDirectory> {
  const run = await startRun(folder, name, { set: [...set, 'checkpoint.keep=9'] });
  await bothRoles(run);
  return run;
}

async function stepsOf(run: RunDirectory): Promise<StepEvent[]> {
  return (await eventsOf(run, 'trainer')).filter((event) => event.type === 'step');
}

async function finalWeights(run: RunDirectory): Promise<Float32Array> {
  const { recipe } = await readRunDescription(run);
  const model = await trainedKinds.get(recipe.model.kind).load(await newestModel(run));
  return model.parameters.buffer;
}

/** The batch that a source alone would have made: of the sampled documents only its own are in it. */
function batchOf(batch: MadeBatch, source: string): RetrievalBatch {
  const own = batch.queries.map((_, query) => {
    const drawn = batch.negatives[query];
    const negatives =
      source === 'in-batch'
        ? batch.documents.map((_, document) => document).filter((document) => !drawn.includes(document))
        : drawn.filter((_, nth) => batch.provenance[query][nth].source === source);
    return negatives.filter((document) => !batch.known![query].includes(document));
  });
  const used = [...new Set([...batch.positives, ...own.flat()])];
  const place = (document: number): number => used.indexOf(document);
  return {
    examples: batch.examples,
    queries: batch.queries,
    documents: used.map((document) => batch.documents[document]),
    positives: batch.positives.map(place),
    negatives: own.map((documents) => documents.map(place)),
  };
}

/** What a source teaches the model of checkpoint 10, from a batch of it alone and a step that knows no other. */
async function measureAlone(run: RunDirectory, source: string): Promise<Measured> {
  const step = 10;
  const { description, data, stages } = await openRun(run.path, { quiet: true });
  const { recipe } = description;
  const model = await trainedKinds.get(recipe.model.kind).load(run.stepPath('checkpoints', step));
  const plan = planRun(recipe);
  const whole = plan.stages[1];
  const events = await EventWriter.open(join(folder, 'unread.jsonl'));
  const context = { run, description, recipe, plan, data, stages, model, events, session: { threads: 1 } };
  const shared = { ...context, learns: () => true, shouldStop: async () => false };
  const task = await openTask({ ...shared, stage: whole });
  const made = (await task.batches(step)) as MadeBatch[];
  // A step that takes a query's own negatives alone.
  const losses = whole.losses.map((loss) => ({ ...loss, negatives: 'own' as const }));
  const alone = await openTask({ ...shared, stage: { ...whole, losses } });
  const learner = new Learner({
    step: alone.step as Step<RetrievalBatch>,
    parameters: model.parameters,
    optimizer: new AdamW(model.parameters),
    learningRate: () => 1,
    layers: model.config.layers,
    seed: recipe.seed,
  });
  const measured = await learner.measure(
    step,
    made.map((batch) => batchOf(batch, source)),
  );
  await Promise.all([task.close(), alone.close(), events.close(), data.close()]);
  return measured;
}

const CROSS =
  'model={kind: cross, init: scratch, layers: 1, hiddenSize: 32, heads: 2, vocabularySize: 1000, dropout: 0, maxLength: {query: 16, document: 16}}';
const SAMPLED = 'stages.ance.negatives=[{source: bm25, depth: 20}, {source: random, count: 2}]';

describe.each([
  { name: 'in-batch and ann', set: [], sources: ['in-batch', 'ann'] },
  {
    name: 'three of them under two towers',
    set: [
      'model.towers=two',
      'stages.ance.negatives=[{source: in-batch}, {source: random}, {source: ann, depth: 20}]',
    ],
    sources: ['in-batch', 'random', 'ann'],
  },
  {
    name: 'two sampled ones, accumulated and cached',
    set: [SAMPLED, 'loss.name=hinge', 'batch.accumulate=2', 'batch.cacheTokens=128'],
    sources: ['bm25', 'random'],
  },
  {
    name: 'a cross-encoder',
    set: [SAMPLED, CROSS, 'loss={name: bce, temperature: 1}'],
    sources: ['bm25', 'random'],
  },
])('$name', ({ name, set, sources }) => {
  let run: RunDirectory;
  beforeAll(async () => {
    run = await trained(name, set);
  });

  test('each source is measured as if it were alone, every so many steps of its stage', async () => {
    const steps = await stepsOf(run);
    const measured = steps.filter((event) => event.sources);
    expect(measured.map(({ step }) => step)).toEqual([10, 15, 20, 25]);
    for (const event of measured) expect(event.sources!.map(({ source }) => source)).toEqual(sources);
    for (const { source, ...evidence } of measured[0].sources!) {
      const { tokens: _, ...alone } = await measureAlone(run, source);
      expect(evidence.loss).toBeCloseTo(alone.loss, 4);
      expect(evidence.gradientNorm / alone.gradientNorm).toBeCloseTo(1, 3);
      expect(Object.keys(evidence.groupNorms)).toEqual(Object.keys(alone.groupNorms));
      for (const [group, norm] of Object.entries(evidence.groupNorms)) {
        expect(norm).toBeCloseTo(alone.groupNorms[group], 3);
      }
    }
  });

  test('measuring changes no bit of the weights', async () => {
    const unmeasured = await trained(`${name}, unmeasured`, [...set, 'evidence.every=0']);
    expect((await stepsOf(unmeasured)).filter((event) => event.sources)).toEqual([]);
    expect(await finalWeights(run)).toEqual(await finalWeights(unmeasured));
  });
});

test('with one source the step speaks for it', async () => {
  const run = await trained('alone', ['stages.ance.negatives=[{source: in-batch}]']);
  expect((await stepsOf(run)).filter((event) => event.sources)).toEqual([]);
});
