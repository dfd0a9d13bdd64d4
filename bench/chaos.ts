/**
 * Everything that a bad disk, a power cut, a full disk, a wrong clock and bad clients can do, again and again, by a seed:
 * to `train`, `serve`, live documents, `index`, `bm25 index`, imports and all that is kept on disk. The invariant: the
 * same result, or an error that names the file. One JSON line; what broke the invariant is told on stderr, and then the
 * exit code is 1.
 *
 *   npm run bench:chaos -- [--attempts 1000] [--seed 1] [--parts live,commands,server,kills,runs,files]
 */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeSynonyms } from '../src/train/synonyms.fixture.js';
import { COMMANDS, disturbCommands } from '../test/chaos/commands.js';
import { killLiveWrites } from '../test/chaos/live-kills.js';
import { Tally } from '../test/chaos/outcome.js';
import { disturbServer } from '../test/chaos/served.js';
import { spoilFiles } from '../test/chaos/spoilt-files.js';
import { spoilRuns } from '../test/chaos/spoilt-runs.js';
import { SUBJECTS } from '../test/chaos/subjects.js';
import { exitOf, startTraining, trainUnderFire } from '../test/kill.fixture.js';

const { values } = parseArgs({
  options: {
    attempts: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    parts: { type: 'string', default: 'live,commands,server,kills,runs,files' },
  },
});
const attempts = Number(values.attempts);
const seed = Number(values.seed);
/** Shares of the attempts that start processes, which take seconds each; spoilt files are the rest. */
const share = (part: number): number => Math.max(1, Math.round(attempts * part));

const tally = new Tally();
const parts: Record<string, () => Promise<void>> = {
  live: () => killLiveWrites(tally, { seed, kills: share(0.012) }),
  async commands() {
    for (const subject of COMMANDS) await disturbCommands(subject, tally, { seed, rounds: share(0.003) });
  },
  server: () => disturbServer(tally, { seed, clients: share(0.1), kills: share(0.006) }),
  kills: () => killRuns(share(0.006)),
  runs: () => spoilRuns(tally, { seed, attempts: share(0.02) }),
  files: spoilTheRest,
};
for (const name of values.parts.split(',')) {
  const start = performance.now();
  await parts[name]();
  const took = ((performance.now() - start) / 1000).toFixed(0);
  const { attempts: made, broken } = tally;
  process.stderr.write(`${name}: ${made} attempts and ${broken.length} broken so far, ${took} s\n`);
}
for (const broken of tally.broken) process.stderr.write(`${broken}\n`);
const { broken, ...counts } = tally;
console.log(JSON.stringify({ ...counts }));
if (broken.length > 0) process.exitCode = 1;

async function spoilTheRest(): Promise<void> {
  for (let round = 0; tally.attempts < attempts; round++) {
    for (const subject of SUBJECTS) await spoilFiles(subject, tally, { seed: seed + round, rounds: 1 });
  }
}

/** A lockstep run whose processes are killed ends in the same bits as one that is left alone. */
async function killRuns(kills: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-killed-runs-'));
  const argsFor = (run: string): string[] => [
    ...['--data', join(folder, 'data'), '--recipe', 'tiny', '--out', run],
    ...['--set', 'refresh.mode=lockstep', '--set', 'checkpoint.every=5'],
  ];
  const weights = async (run: string): Promise<string> => {
    const finished = JSON.parse(await readFile(join(run, 'finished.json'), 'utf8')) as { steps: number };
    const step = `step-${String(finished.steps).padStart(6, '0')}`;
    const content = await readFile(join(run, 'checkpoints', step, 'model.safetensors'));
    return createHash('sha256').update(content).digest('hex');
  };
  try {
    await writeSynonyms(join(folder, 'data'), { words: 10, seed: 3 });
    const calm = join(folder, 'calm');
    if ((await exitOf(startTraining(argsFor(calm)))) !== 0) throw new Error('the undisturbed run failed');
    const run = join(folder, 'run');
    const killed = await trainUnderFire(run, argsFor(run), { kills, seed, maxPauseMs: 3000 }).catch(
      (error: Error) => error,
    );
    const isSame = !(killed instanceof Error) && (await weights(run)) === (await weights(calm));
    const count = killed instanceof Error ? 1 : Object.values(killed).reduce((sum, n) => sum + n);
    for (let kill = 0; kill < count; kill++) {
      const detail = killed instanceof Error ? killed.message : 'other weights';
      const outcome = killed instanceof Error ? 'crashed' : 'silent';
      tally.add(
        `train: kill ${kill} of seed ${seed}`,
        isSame ? { outcome: 'same' } : { outcome, detail },
        'killed',
      );
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
