import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeJsonFile } from '../../base/json-file.js';
import { loadRecipe } from '../../recipe/load.js';
import type { Recipe } from '../../recipe/recipe.js';
import { EventWriter } from '../../run/events.js';
import { RunDirectory } from '../../run/run-directory.js';
import { askToStop, endsEarly } from './early-stop.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-early-stop-'));
});
const writers: EventWriter[] = [];
afterAll(async () => {
  for (const writer of writers) await writer.close();
  await rm(folder, { recursive: true, force: true });
});

/** A run with a checkpoint every 5 steps, a stage of 10 and one of 20. */
async function begin(mode: Recipe['refresh']['mode']) {
  const set = [`refresh.mode=${mode}`, 'evaluation.patience=2', 'checkpoint.every=5'];
  const { recipe } = await loadRecipe('tiny', { set });
  const run = new RunDirectory(await mkdtemp(join(folder, `${mode}-`)));
  await run.create();
  const waits: string[] = [];
  const events = await EventWriter.open(run.file('events', 'trainer.jsonl'), (event) => {
    if (event.type === 'wait') waits.push(event.for);
  });
  writers.push(events);
  return {
    run,
    waits,
    /** Does what the Inferencer does with a checkpoint that is no better than the first. */
    async measure(step: number): Promise<void> {
      const evaluation = { step, split: 'dev', queries: 1, measures: { 'RR@10': 0.5 }, seconds: {} };
      await askToStop(run, recipe, evaluation);
      await writeJsonFile(run.stepPath('evaluations', step), evaluation);
    },
    ends: (step: number, stopSignal?: AbortSignal): Promise<boolean> =>
      endsEarly(step, { run, recipe, events, stopSignal }),
  };
}

test('in lockstep a run ends at the checkpoint after the evaluation that asked for it, however late it is seen', async () => {
  const { measure, ends, run } = await begin('lockstep');
  for (const step of [0, 5, 10, 15]) await measure(step);
  expect(await run.readJson('stop.json')).toEqual({ reason: 'patience', step: 10, best: 0 });
  const answers = await Promise.all([0, 5, 9, 10, 11, 14, 15, 16, 20].map((step) => ends(step)));
  expect(answers).toEqual([false, false, false, false, false, false, true, false, true]);
});

test('in lockstep the Trainer waits at a checkpoint for the evaluation of the one before', async () => {
  const { measure, ends, waits } = await begin('lockstep');
  await measure(0);
  await measure(5);
  let answered = false;
  const answer = ends(15).finally(() => {
    answered = true;
  });
  await sleep(300);
  expect(answered).toBe(false);
  expect(waits).toEqual(['evaluation of checkpoint 10']);
  await measure(10);
  expect(await answer).toBe(true);
});

test('who waits can be stopped, which is not the end of the run', async () => {
  const { ends } = await begin('lockstep');
  expect(await ends(5, AbortSignal.abort())).toBe(false);
});

test('in async mode a run ends as soon as that is asked for', async () => {
  const { measure, ends } = await begin('async');
  await measure(0);
  await measure(5);
  expect(await ends(7)).toBe(false);
  await measure(10);
  expect(await ends(12)).toBe(true);
});
