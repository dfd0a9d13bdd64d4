// Kills a lockstep run again and again and compares its last weights with those of an undisturbed run.
// npm run bench:kill -- [--kills 50]
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeSynonyms } from '../src/train/synonyms.fixture.js';
import { exitOf, startTraining, trainUnderFire } from '../test/kill.fixture.js';

const { values } = parseArgs({ options: { kills: { type: 'string', default: '50' } } });
const folder = mkdtempSync(join(tmpdir(), 'nearmiss-kill-'));
const data = join(folder, 'data');
const argsFor = (run: string): string[] => [
  ...['--data', data, '--recipe', 'tiny', '--out', run],
  ...['--set', 'refresh.mode=lockstep', '--set', 'checkpoint.every=5', '--set', 'stages.ance.steps=60'],
];
const weightsOf = (run: string): string =>
  createHash('sha256')
    .update(readFileSync(join(run, 'checkpoints/step-000070/model.safetensors')))
    .digest('hex');

try {
  await writeSynonyms(data, { words: 14, seed: 3 });
  const calm = join(folder, 'calm');
  if ((await exitOf(startTraining(argsFor(calm)))) !== 0) throw new Error('the undisturbed run failed');
  const expected = weightsOf(calm);
  const killed: Record<string, number> = { trainer: 0, inferencer: 0, supervisor: 0 };
  const total = (): number => Object.values(killed).reduce((sum, count) => sum + count);
  let [runs, identical] = [0, 0];
  while (total() < Number(values.kills)) {
    const run = join(folder, `run-${runs}`);
    const kills = Math.min(8, Number(values.kills) - total());
    const hits = await trainUnderFire(run, argsFor(run), { kills, seed: runs, maxPauseMs: 3000 });
    for (const [role, count] of Object.entries(hits)) killed[role] += count;
    runs++;
    if (weightsOf(run) === expected) identical++;
    process.stderr.write(`run ${runs}: ${total()} kills so far, ${identical}/${runs} identical\n`);
    rmSync(run, { recursive: true });
  }
  console.log(JSON.stringify({ kills: total(), killed, runs, identical }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
