import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Random } from '../../src/engine/random.js';
import { RunDirectory } from '../../src/run/run-directory.js';
import { bothRoles, startRun, stopAfter, weightsOf } from '../../src/train/run.fixture.js';
import { writeSynonyms } from '../../src/train/synonyms.fixture.js';
import type { Judged, Tally } from './outcome.js';
import { filesUnder, SPOIL_KINDS, spoil } from './spoil.js';

const STEPS = 30;
const TIMEOUT_MS = 240_000;

export interface SpoiltRunsOptions {
  seed: number;
  /** How many files are spoilt; every file of the run before one has its second turn. */
  attempts: number;
}

/** Spoils a file of a lockstep run that was stopped, and trains on: the same weights in the end, or the file is named. */
export async function spoilRuns(tally: Tally, { seed, attempts }: SpoiltRunsOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-spoilt-runs-'));
  const random = Random.from(seed, 'spoilt runs');
  const said = process.listeners('warning');
  process.removeAllListeners('warning').on('warning', () => undefined);
  try {
    await writeSynonyms(join(folder, 'data'), { words: 10, seed: 3 });
    const settings = { set: ['checkpoint.every=5'] };
    const whole = await startRun(folder, 'calm', settings);
    await bothRoles(whole);
    const calm = await weightsOf(whole, STEPS);
    const stopped = await startRun(folder, 'stopped', settings);
    await stopAfter(stopped, 17);
    // What a person looks at, and nothing is trained from.
    const files = (await filesUnder(stopped.path)).filter((name) => !name.startsWith('events/'));
    let order: string[] = [];
    for (let i = 0; i < attempts; i++) {
      if (order.length === 0) order = random.shuffle([...files]);
      const name = order.pop()!;
      const kind = SPOIL_KINDS[random.integer(SPOIL_KINDS.length)];
      const run = new RunDirectory(join(folder, `copy-${i}`));
      await cp(stopped.path, run.path, { recursive: true });
      if (await spoil(run.file(name), kind, random)) {
        const judged = await trainOn(run, { name, calm });
        tally.add(`train: ${name}: ${kind} ${i} of seed ${seed}`, judged, 'corrupted');
      }
      await rm(run.path, { recursive: true, force: true });
    }
  } finally {
    process.removeAllListeners('warning');
    for (const listener of said) process.on('warning', listener);
    await rm(folder, { recursive: true, force: true });
  }
}

async function trainOn(run: RunDirectory, { name, calm }: { name: string; calm: Buffer }): Promise<Judged> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Judged>((resolve) => {
    timer = setTimeout(() => resolve({ outcome: 'hung', detail: 'not at its end in time' }), TIMEOUT_MS);
  });
  const trained = bothRoles(run).then(
    async (): Promise<Judged> =>
      (await weightsOf(run, STEPS)).equals(calm)
        ? { outcome: 'same' }
        : { outcome: 'silent', detail: 'other weights' },
    (error: Error): Judged => {
      // Of a file within a checkpoint or an index the folder is enough; the run's own folder is in every message.
      const names = [basename(name), ...(name.includes('/') ? [dirname(run.file(name))] : [])];
      const isNamed = names.some((part) => error.message.includes(part));
      return { outcome: isNamed ? 'named' : 'crashed', detail: `${error.name}: ${error.message}` };
    },
  );
  return Promise.race([trained, late]).finally(() => clearTimeout(timer));
}
