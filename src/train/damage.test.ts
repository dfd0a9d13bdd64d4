import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Random } from '../engine/index.js';
import { RunDirectory } from '../run/run-directory.js';
import { takeRole } from './process/processes.js';
import { bothRoles, startRun, stopAfter, weightsOf } from './run.fixture.js';
import { writeSynonyms } from './synonyms.fixture.js';

const STEPS = 30;

/** The other process of a run that failed may still be writing. */
const REMOVE = { recursive: true, force: true, maxRetries: 10 };
let folder: string;
let calm: Buffer;
/** A lockstep run that was stopped between two checkpoints, with one more before the newest. */
let stopped: RunDirectory;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-damage-'));
  await writeSynonyms(join(folder, 'data'), { words: 10, seed: 3 });
  const settings = { set: ['checkpoint.every=5'] };
  const whole = await startRun(folder, 'calm', settings);
  await bothRoles(whole);
  calm = await weightsOf(whole, STEPS);
  stopped = await startRun(folder, 'stopped', settings);
  await stopAfter(stopped, 17);
  expect(await stopped.steps('resume')).toEqual([18]);
  expect(await stopped.steps('checkpoints')).toEqual([10, 15]);
});
afterAll(() => rm(folder, REMOVE));

/** A copy of the stopped run, to be damaged. */
async function copy(name: string): Promise<RunDirectory> {
  const run = new RunDirectory(join(folder, name));
  await cp(stopped.path, run.path, { recursive: true });
  onTestFinished(() => rm(run.path, REMOVE));
  return run;
}

async function flip(path: string, bit: number): Promise<void> {
  const bytes = await readFile(path);
  const place = bit % (bytes.length * 8);
  bytes[place >> 3] ^= 1 << (place & 7);
  await writeFile(path, bytes);
}

function warnings(): string[] {
  const said: string[] = [];
  const spy = vi
    .spyOn(process, 'emitWarning')
    .mockImplementation((message) => void said.push(String(message)));
  onTestFinished(() => spy.mockRestore());
  return said;
}

describe('a damaged checkpoint', () => {
  test.each([
    ['resume', 18, 'model.safetensors', 15],
    ['resume', 18, 'optimizer-firstMoment.bin', 15],
    ['resume', 18, 'state.json', 15],
    ['resume', 18, 'tokenizer.json', 15],
  ] as const)(
    '%s/%i: %s is moved out of the way, and the run ends in the same bits',
    async (kind, step, file, before) => {
      const run = await copy(`moved-${file}`);
      const said = warnings();
      await flip(join(run.stepPath(kind, step), file), 3333);
      await bothRoles(run);
      expect((await weightsOf(run, STEPS)).equals(calm)).toBe(true);
      expect(said).toHaveLength(1);
      expect(said[0]).toContain(join(run.stepPath(kind, step), file));
      expect(said[0]).toContain(`training goes on from that of step ${before}`);
      expect(await readdir(run.file('damaged'))).toEqual([`${kind}-step-0000${step}`]);
    },
  );

  test('several of them, one after the other', async () => {
    const run = await copy('several');
    const said = warnings();
    await flip(join(run.stepPath('resume', 18), 'model.safetensors'), 9999);
    await rm(join(run.stepPath('checkpoints', 15), 'optimizer-secondMoment.bin'));
    await bothRoles(run);
    expect((await weightsOf(run, STEPS)).equals(calm)).toBe(true);
    expect(said.map((message) => /goes on from (.*)/.exec(message)?.[1])).toEqual([
      'that of step 15',
      'that of step 10',
    ]);
    expect((await readdir(run.file('damaged'))).sort()).toEqual([
      'checkpoints-step-000015',
      'resume-step-000018',
    ]);
  });

  test('with none before it, names the file and leaves everything as it is', async () => {
    const run = await copy('none');
    for (const step of [10, 15]) await rm(run.stepPath('checkpoints', step), { recursive: true });
    const path = join(run.stepPath('resume', 18), 'model.safetensors');
    await flip(path, 12_345);
    await expect(takeRole('trainer', run.path)).rejects.toMatchObject({
      message: expect.stringContaining(`${path}: what step 18 left to go on from is damaged`),
      hint: expect.stringContaining('no checkpoint before it is left'),
    });
    expect(await run.steps('resume')).toEqual([18]);
  });

  test('the first one is made again from the model that the run starts from', async () => {
    const run = await startRun(folder, 'first', { set: ['checkpoint.every=5'] });
    await stopAfter(run, 0);
    await rm(run.file('resume'), { recursive: true });
    await flip(join(run.stepPath('checkpoints', 0), 'model.safetensors'), 4444);
    const said = warnings();
    await bothRoles(run);
    expect(said[0]).toContain('training goes on from the beginning');
    expect((await weightsOf(run, STEPS)).equals(calm)).toBe(true);
  });

  test('that the Trainer does not replace ends the Inferencer with its name', async () => {
    const { awaitReplacement, verifyModel } = await import('./refresh/sound-checkpoint.js');
    const run = await copy('inferencer');
    const path = join(run.stepPath('checkpoints', 15), 'model.safetensors');
    await flip(path, 777);
    const damage = await verifyModel(run, 15).catch((error) => error);
    expect(damage.message).toContain(path);
    expect(damage.hint).toContain('repeat the same command');
    await expect(awaitReplacement(run, { step: 15, damage }, 300)).rejects.toBe(damage);
    const replaced = awaitReplacement(run, { step: 15, damage }, 20_000);
    await rm(run.stepPath('checkpoints', 15), { recursive: true });
    await replaced;
  });

  test('of an earlier version has no checksums and is taken as it is', async () => {
    const run = await copy('earlier');
    for (const point of [run.stepPath('resume', 18), run.stepPath('checkpoints', 15)]) {
      const path = join(point, 'state.json');
      const { files: _, contentSha256: __, ...state } = JSON.parse(await readFile(path, 'utf8'));
      await writeFile(path, JSON.stringify(state));
    }
    await rm(run.file('start', 'manifest.json'));
    const { checksum: _, ...description } = JSON.parse(await readFile(run.file('run.json'), 'utf8'));
    await writeFile(run.file('run.json'), JSON.stringify(description));
    await bothRoles(run);
    expect((await weightsOf(run, STEPS)).equals(calm)).toBe(true);
  });
});

/** How many of a run's files are tried, drawn by chance; FLIPS=1000 tries all. */
const FLIPS = Number(process.env.FLIPS ?? 12);

test('a bit flipped in any file of a run: the same weights in the end, or an error that names the file', {
  timeout: 60_000 * FLIPS,
}, async () => {
  const random = Random.from(Number(process.env.FC_SEED ?? 42), 'flips');
  const entries = await readdir(stopped.path, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(stopped.path, join(entry.parentPath, entry.name)))
    .filter((name) => !name.startsWith('events/'))
    .sort();
  for (const name of random.shuffle(names).slice(0, FLIPS)) {
    const run = await copy(`flip-${name.replaceAll('/', '-')}`);
    warnings();
    await flip(run.file(name), random.integer(1 << 30));
    const error = await bothRoles(run).then(
      () => undefined,
      (failure: Error) => failure,
    );
    const told =
      error && [dirname(run.file(name)), basename(name)].every((part) => error.message.includes(part));
    const same = !error && (await weightsOf(run, STEPS)).equals(calm);
    expect({ name, error: error?.message, isFine: told || same }).toMatchObject({ isFine: true });
    await rm(run.path, REMOVE);
  }
});
