/**
 * What workers of a fleet gain: the same shards encoded in this process with one thread, by one worker with one thread, and by two. Rounds
 * alternate, medians are told. Needs redis-server. One JSON line.
 *
 *   npm run bench:fleet
 *   npm run bench:fleet -- --shards 24 --texts 64 --rounds 3 --max-length 128
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FleetEncoder } from '../src/fleet/index.js';
import { Encoder, loadEncoderModel } from '../src/model/index.js';
import { startRedis } from '../test/fleet.fixture.js';
import { freePort } from '../test/free-port.fixture.js';

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'minilm' },
    shards: { type: 'string', default: '16' },
    /** Texts of a shard. */
    texts: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '3' },
    'max-length': { type: 'string', default: '128' },
  },
});
const [shards, texts, rounds] = [values.shards, values.texts, values.rounds].map(Number);
const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');
const WORDS =
  'near misses teach more than lucky hits because what almost answers shows where the question ends'.split(
    ' ',
  );

const folder = await mkdtemp(join(tmpdir(), 'nearmiss-bench-'));
const port = await freePort();
const redis = await startRedis(join(folder, 'redis'), port);
const place = { queue: `redis://127.0.0.1:${port}`, store: join(folder, 'store') };
const model = await loadEncoderModel(values.model, { maxLength: Number(values['max-length']) });
const workers: ChildProcess[] = [];
let made = 0;

try {
  const fleet = await FleetEncoder.open({ ...place, model, use: 'document', precision: 'fp32' });
  const encoder = await Encoder.create(model, { session: { threads: 1 } });
  await encoder.encode(shardOfTexts(), { use: 'document' });
  const seconds: Record<'direct' | 'one' | 'two', number[]> = { direct: [], one: [], two: [] };
  for (let round = 0; round < rounds; round++) {
    seconds.direct.push(
      await timed(async (all) => {
        for (const shard of all) await encoder.encode(shard, { use: 'document' });
      }),
    );
    for (const [name, count] of [
      ['one', 1],
      ['two', 2],
    ] as const) {
      while (workers.length < count) workers.push(await startWorker());
      while (workers.length > count) workers.pop()!.kill('SIGKILL');
      // Every worker has the model before the clock starts.
      await onFleet(fleet, Array.from({ length: 4 * count }, shardOfTexts));
      seconds[name].push(await timed((all) => onFleet(fleet, all)));
    }
    process.stderr.write(`bench:fleet: round ${round + 1}: ${JSON.stringify(seconds)}\n`);
  }
  await encoder.release();
  await fleet.close();
  const [direct, one, two] = [seconds.direct, seconds.one, seconds.two].map(median);
  const result = {
    shards,
    texts,
    rounds,
    directSeconds: direct,
    oneWorkerSeconds: one,
    twoWorkersSeconds: two,
  };
  process.stdout.write(
    `${JSON.stringify({ ...result, speedUp: one / two, queueOverhead: one / direct - 1 })}\n`,
  );
} finally {
  for (const child of [...workers, redis]) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
}

/** Texts that were not asked for before: what is known would not be encoded again. */
function shardOfTexts(): string[] {
  return Array.from({ length: texts }, () => {
    const seed = made++;
    const length = 40 + (seed % 50);
    return `${seed} ${Array.from({ length }, (_, i) => WORDS[(seed * 7 + i * 5) % WORDS.length]).join(' ')}`;
  });
}

async function timed(work: (all: string[][]) => Promise<void>): Promise<number> {
  const all = Array.from({ length: shards }, shardOfTexts);
  const started = performance.now();
  await work(all);
  return (performance.now() - started) / 1000;
}

async function onFleet(fleet: FleetEncoder, all: string[][]): Promise<void> {
  const asked = [];
  for (const shard of all) asked.push(await fleet.ask(shard));
  for (const shard of asked) await fleet.rows(shard);
  await fleet.forget();
}

async function startWorker(): Promise<ChildProcess> {
  const args = [
    'fleet',
    'worker',
    '--queue',
    place.queue,
    '--store',
    place.store,
    '--threads',
    '1',
    '--lock',
    '5',
  ];
  const worker = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  await new Promise<void>((done) => {
    worker.stderr!.on('data', (text) => String(text).includes('listening') && done());
  });
  return worker;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
