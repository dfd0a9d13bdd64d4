import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parsePartial, partialPath } from '../src/base/partial-path.js';
import { createEncoderModel, saveEncoderModel, VectorFile } from '../src/model/index.js';
import { trainTokenizer } from '../src/text/train-tokenizer.js';
import { runBuiltCli } from './console-blocks.fixture.js';
import { hasRedis, startRedis } from './fleet.fixture.js';
import { freePort } from './free-port.fixture.js';
import { exitOf } from './kill.fixture.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');
const WORDS = 'a near miss is what almost was found by the index that learns'.split(' ');
const [TEXTS, SHARD] = [240, 10];
/** So many shards that they are far from done when some are. */
const FINE = 2;

let folder: string;
let port: number;
let redis: ChildProcess;
const children: ChildProcess[] = [];
const at = (name: string): string => join(folder, name);
const queue = (): string => `redis://127.0.0.1:${port}`;

/** Resolves once it listens. */
async function startWorker(): Promise<ChildProcess> {
  const args = [
    'fleet',
    'worker',
    '--queue',
    queue(),
    '--store',
    at('store'),
    '--threads',
    '1',
    '--lock',
    '2',
  ];
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...process.env, TMPDIR: at('temporary') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  await said(child, 'listening');
  return child;
}

function said(child: ChildProcess, words: string): Promise<void> {
  return new Promise((done, fail) => {
    child.once('exit', (code) => fail(new Error(`a worker ended with ${code}`)));
    child.stderr!.on('data', (text) => String(text).includes(words) && done());
  });
}

const encodeArgs = (output: string, ...more: string[]): string[] => [
  ...[
    'encode',
    at('texts.txt'),
    '--format',
    'text',
    '--model',
    at('model'),
    '--output',
    at(output),
    '--quiet',
  ],
  ...more,
];
const onFleet = (output: string, shardSize = SHARD): string[] =>
  encodeArgs(output, '--queue', queue(), '--store', at('store'), '--shard-size', String(shardSize), '--json');

async function vectorsOf(output: string): Promise<Float32Array> {
  const file = await VectorFile.open(at(output));
  const vectors = await file.read(0, file.rows);
  await file.close();
  return vectors;
}

async function expectSame(output: string): Promise<void> {
  const [expected, got] = [await vectorsOf('alone.npy'), await vectorsOf(output)];
  expect(got.length).toBe(expected.length);
  expect(got.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i])), 0)).toBeLessThan(1e-5);
  expect(await readFile(at(output.replace('.npy', '.ids.txt')), 'utf8')).toBe(
    await readFile(at('alone.ids.txt'), 'utf8'),
  );
  const queries = [0, 7, 100];
  expect(queries.map((query) => nearest(got, query))).toEqual(
    queries.map((query) => nearest(expected, query)),
  );
  // Nothing is left of shards, and no half file anywhere.
  const left = await readdir(at('store'), { recursive: true });
  expect(left.filter((name) => /^(inputs|results)\/./.test(name) || name.includes('.partial-'))).toEqual([]);
}

/** The texts nearest to one of them, by inner product; equal ones as they come. */
function nearest(vectors: Float32Array, query: number): number[] {
  const dimension = vectors.length / TEXTS;
  const row = (text: number): Float32Array => vectors.subarray(text * dimension, (text + 1) * dimension);
  const own = row(query);
  const scores = Array.from({ length: TEXTS }, (_, text) =>
    row(text).reduce((sum, value, i) => sum + value * own[i], 0),
  );
  return scores
    .map((_, text) => text)
    .sort((a, b) => scores[b] - scores[a] || a - b)
    .slice(0, 20);
}

async function shardsDone(count: number): Promise<void> {
  const results = at('store/results');
  while (!existsSync(results) || (await readdir(results)).length < count) await sleep(20);
}

describe.skipIf(!hasRedis())('a fleet', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nearmiss-fleet-'));
    const lines = Array.from({ length: TEXTS }, (_, i) =>
      Array.from({ length: 3 + ((i * 7) % 20) }, (_, j) => WORDS[(i * 3 + j * 5) % WORDS.length]).join(' '),
    );
    await mkdir(at('temporary'));
    await writeFile(at('texts.txt'), lines.map((line) => `${line}\n`).join(''));
    async function* corpus(): AsyncGenerator<string> {
      yield WORDS.join(' ');
    }
    const tokenizer = await trainTokenizer(corpus(), { vocabularySize: 80 });
    await saveEncoderModel(
      at('model'),
      createEncoderModel({ tokenizer, hiddenSize: 64, layers: 2, heads: 4, maxLength: 32, seed: 7 }),
    );
    port = await freePort();
    redis = await startRedis(at('redis'), port);
    const { code } = await runBuiltCli(encodeArgs('alone.npy', '--threads', '1'));
    expect(code).toBe(0);
  });

  afterAll(async () => {
    for (const child of [...children, redis]) child?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  test('three workers give what one process gives, whoever is killed meanwhile', async () => {
    const workers = await Promise.all([startWorker(), startWorker(), startWorker()]);
    const quiet = await runBuiltCli(onFleet('fleet.npy'));
    expect(JSON.parse(quiet.stdout)).toMatchObject({ texts: TEXTS, dimension: 64, precision: 'fp32' });
    await expectSame('fleet.npy');

    // A worker, whoever asked, and Redis, each with kill -9; the same command again goes on.
    const asking = spawn(process.execPath, [CLI, ...onFleet('killed.npy', FINE)], { stdio: 'ignore' });
    children.push(asking);
    await shardsDone(2);
    workers[0].kill('SIGKILL');
    await shardsDone(6);
    asking.kill('SIGKILL');
    await exitOf(asking);
    expect(existsSync(at('killed.npy'))).toBe(false);
    const again = runBuiltCli(onFleet('killed.npy', FINE));
    redis.kill('SIGKILL');
    await exitOf(redis);
    redis = await startRedis(at('redis'), port);
    expect((await again).code).toBe(0);
    await expectSame('killed.npy');

    // Told to stop, they end by themselves.
    for (const worker of workers.slice(1)) {
      worker.removeAllListeners('exit');
      worker.kill('SIGTERM');
      expect(await exitOf(worker)).toBe(0);
    }
    // What the killed one has left of the model goes with the next that starts on its machine.
    const left = async (): Promise<unknown[]> =>
      (await readdir(at('temporary'))).map((name) => parsePartial(name)?.owner);
    // It may have been too slow to get a shard, and have left nothing.
    const ours = partialPath(at('temporary/nearmiss-worker'));
    await mkdir(ours.replace(`-${process.pid}-`, `-${workers[0].pid}-`));
    expect(new Set(await left())).toEqual(new Set(['gone']));
    const next = await startWorker();
    expect(await left()).toEqual([]);
    next.removeAllListeners('exit');
    next.kill('SIGKILL');
  });

  test('a shard that cannot be encoded fails with its own error', async () => {
    const worker = await startWorker();
    const [model] = await readdir(at('store/models'));
    const weights = at(`store/models/${model}/model.safetensors`);
    const before = await readFile(weights);
    await writeFile(
      weights,
      before.map((byte, i) => (i === before.length - 2 ? byte ^ 64 : byte)),
    );
    const { code, stderr } = await runBuiltCli(onFleet('poison.npy', TEXTS / 2));
    await writeFile(weights, before);
    expect(code).toBe(1);
    expect(stderr).toMatch(/a worker cannot encode a shard of 120: .*(expected weights|damaged|checksum)/);
    expect(existsSync(at('poison.npy'))).toBe(false);
    // The weights are as they were: the same command goes on.
    expect((await runBuiltCli(onFleet('poison.npy', TEXTS / 2))).code).toBe(0);
    await expectSame('poison.npy');
    worker.removeAllListeners('exit');
    worker.kill('SIGKILL');
  });
});

test.each([
  [['--queue', 'redis://127.0.0.1:1', '--store', 's'], 1, /no Redis answers at redis:\/\/127\.0\.0\.1:1/],
  [
    ['--queue', 'http://queue', '--store', 's'],
    2,
    /--queue: expected redis:\/\/HOST:PORT, got "http:\/\/queue"/,
  ],
  [['--queue', 'redis://127.0.0.1:1'], 2, /--queue and --store go together/],
  [
    ['--queue', 'redis://127.0.0.1:1', '--store', 's', '--precision', 'auto'],
    2,
    /expected fp32 or int8 with --queue/,
  ],
])('encode %j is refused', async (flags, code, message) => {
  const given = await mkdtemp(join(tmpdir(), 'nearmiss-fleet-'));
  await writeFile(join(given, 'x.txt'), 'one\n');
  const args = ['encode', 'x.txt', '--format', 'text', '--model', 'minilm', '--output', 'x.npy', ...flags];
  const result = await runBuiltCli(args, { cwd: given });
  await rm(given, { recursive: true });
  expect(result.stderr).toMatch(message);
  expect(result.code).toBe(code);
});
