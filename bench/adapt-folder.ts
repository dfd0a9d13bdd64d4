// What `nearmiss adapt` takes on a folder of documents, from its start to its verdict: minutes, and the memory of all its processes.
// At each of the moments of --kill all of them are killed, and the same command goes on.
// npm run bench:adapt-folder -- DIR [--out runs/bench-folder] [--kill SECONDS,SECONDS…] [--threads 1]
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { AdaptOutcome } from '../src/adapt/index.js';
import { parseEvents } from '../src/run/events.js';
import { exitOf } from '../test/kill.fixture.js';
import { watchMemory } from './process-memory.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: 'runs/bench-folder' },
    kill: { type: 'string', default: '' },
    threads: { type: 'string' },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('expected a folder of documents');
const moments = values.kill.split(',').filter(Boolean).map(Number);
if (moments.some((seconds, i) => !(seconds > (moments[i - 1] ?? 0)))) {
  throw new Error('--kill: expected seconds in ascending order');
}

const began = performance.now();
const seconds = (): number => (performance.now() - began) / 1000;
const starts: { killedAfter?: string; seconds: number; peakMb: number }[] = [];
let json = '';
for (const moment of [...moments, Number.POSITIVE_INFINITY]) {
  const from = seconds();
  const child = start();
  const memory = watchMemory(child.pid!);
  json = '';
  child.stdout!.on('data', (chunk) => {
    json += chunk;
  });
  const end = await Promise.race([exitOf(child), until(moment)]);
  if (end === 'time') process.kill(-child.pid!, 'SIGKILL');
  else if (end !== 0) throw new Error(`nearmiss adapt ended with exit code ${end}`);
  await exitOf(child);
  const peakMb = memory.stop();
  const killedAfter = end === 'time' ? { killedAfter: lastEvent() } : {};
  starts.push({ ...killedAfter, seconds: Math.round(seconds() - from), peakMb });
  process.stderr.write(`${JSON.stringify(starts.at(-1))}\n`);
  if (end === 0) break;
}
const { adaptation } = JSON.parse(json) as AdaptOutcome;
const minutes = Number((seconds() / 60).toFixed(2));
const peakMb = Math.max(...starts.map((each) => each.peakMb));
console.log(JSON.stringify({ folder, minutes, peakMb, starts, adaptation }));

/** In a group of its own, so that it can be killed with all that it has started. */
function start(): ChildProcess {
  const limits = [values.threads ?? []]
    .flat()
    .flatMap((n) => ['--trainer-threads', n, '--inferencer-threads', n]);
  return spawn(
    process.execPath,
    [CLI, 'adapt', folder, '--out', values.out, '--json', '--quiet', ...limits],
    { stdio: ['ignore', 'pipe', 'inherit'], detached: true },
  );
}

async function until(moment: number): Promise<'time' | undefined> {
  if (moment === Number.POSITIVE_INFINITY) return new Promise(() => undefined);
  await sleep(Math.max(0, (moment - seconds()) * 1000), undefined, { ref: false });
  return 'time';
}

/** How far the run had come. */
function lastEvent(): string {
  const events = join(values.out, 'events');
  try {
    const all = readdirSync(events).flatMap((name) => parseEvents(readFileSync(join(events, name), 'utf8')));
    const last = all.sort((a, b) => a.time.localeCompare(b.time)).findLast(({ type }) => type !== 'log');
    if (!last || !('step' in last)) return 'begun';
    return `${last.type} ${'done' in last ? `${last.done} of ${last.total}` : last.step}`;
  } catch {
    return 'not begun';
  }
}
