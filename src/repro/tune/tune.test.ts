import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fingerprintRecipe } from '../../recipe/fingerprint.js';
import { loadRecipe } from '../../recipe/load.js';
import { RunDirectory } from '../../run/run-directory.js';
import { eventsOf } from '../../train/run.fixture.js';
import { writeSynonyms } from '../../train/synonyms.fixture.js';
import { costOf } from './cost.js';
import { tunePlot, tuneTable, tuneVerdict } from './report.js';
import { type TuneOptions, tuneRecipe } from './tune.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-tune-'));
  await writeSynonyms(join(folder, 'data'), { words: 10, seed: 3 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const SET = [
  'stages=[{name: train, steps: 20, negatives: [{source: in-batch}, {source: random, count: 1}]}]',
  'checkpoint.every=5',
  'evidence.every=0',
];

function options(stop: AbortController, more: Partial<TuneOptions> = {}): TuneOptions {
  return {
    data: join(folder, 'data'),
    recipe: 'tiny',
    out: join(folder, 'tune'),
    set: SET,
    tries: ['rate=1e-3,5e-3,1e-9'],
    supervise: {
      threads: { trainer: 1, inferencer: 1 },
      onEvent: () => undefined,
      onRestart: () => undefined,
      stopSignal: stop.signal,
    },
    ...more,
  };
}

test('halves the candidates on dev, goes on after a stop, and leaves the winner as a recipe', async () => {
  const told: string[] = [];
  let steps = 0;
  const stop = new AbortController();
  const stopped = tuneRecipe(
    options(stop, {
      onPlan: async (plan) => {
        const cost = await costOf(plan, join(folder, 'data'), 1);
        steps = cost.steps;
        expect(cost.diskBytes).toBeGreaterThan(0);
        expect(cost.seconds).toBeGreaterThan(3 * cost.trainings);
      },
      onResult: ({ name }) => {
        told.push(name);
        if (told.length === 2) stop.abort();
      },
    }),
  );
  await expect(stopped).rejects.toThrow(/stopped before step 10/);
  const state = await tuneRecipe(
    options(new AbortController(), { onResult: ({ name }) => void told.push(name) }),
  );
  // Three to step 10, the two better ones from there to 20; none of it twice.
  expect(steps).toBe(50);
  expect(told.slice(0, 3)).toEqual(['c00', 'c01', 'c02']);
  expect(told).toHaveLength(5);
  expect(state.sizes).toEqual([3, 2]);
  const [asIs, , frozen] = state.candidates;
  expect(asIs.settings).toEqual({});
  // What learns nothing is out first.
  expect(frozen.settings).toEqual({ rate: '1e-9' });
  expect(frozen.results).toHaveLength(1);
  const winner = state.candidates.find(({ name }) => name === state.winner)!;
  const finalists = state.candidates.filter(({ best }) => best);
  expect(finalists).toHaveLength(2);
  expect(winner.best!.value).toBe(Math.max(...finalists.map(({ best }) => best!.value)));

  const run = new RunDirectory(join(folder, 'tune', 'runs', winner.name));
  const starts = (await eventsOf(run, 'trainer')).flatMap((event) =>
    event.type === 'start' ? event.step : [],
  );
  expect(starts).toEqual([0, 10]);
  expect(await readdir(run.path)).toEqual(expect.arrayContaining(['best', 'checkpoints']));
  const loser = await readdir(join(folder, 'tune', 'runs', frozen.name));
  expect(loser).toEqual(expect.arrayContaining(['run.json', 'evaluations', 'events']));
  expect(loser.filter((name) => ['checkpoints', 'index', 'start', 'cache', 'best'].includes(name))).toEqual(
    [],
  );

  const { recipe } = await loadRecipe(join(folder, 'tune', 'winner.yaml'));
  const rate = winner.settings.rate;
  const { recipe: expected } = await loadRecipe('tiny', {
    set: [...SET, ...(rate ? [`optimizer.learningRate=${rate}`] : [])],
  });
  expect(fingerprintRecipe(recipe)).toBe(fingerprintRecipe(expected));

  const table = tuneTable(state);
  expect(table.split('\n')[1]).toMatch(new RegExp(`^${winner.name} .*winner$`));
  expect(table).toMatch(/^start/m);
  expect(tunePlot(state)).toMatch(/^<svg/);
  expect(tuneVerdict(state)).toContain('on dev');
  const saved = JSON.parse(await readFile(join(folder, 'tune', 'tune.json'), 'utf8'));
  expect(saved).toEqual(JSON.parse(JSON.stringify(state)));

  const other = options(new AbortController(), { tries: ['rate=1e-3,2e-3'] });
  await expect(tuneRecipe(other)).rejects.toThrow(/another search was begun here/);
});

test('never chooses on the test split', async () => {
  const set = [...SET, 'evaluation.split=test'];
  await expect(tuneRecipe(options(new AbortController(), { set }))).rejects.toThrow(
    /test split is for the end/,
  );
});
