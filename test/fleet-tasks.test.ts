import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, UnrecoverableError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { trainTinyRun, writeTinyData } from '../src/analyze/tiny-run.fixture.js';
import type { AskedShard } from '../src/fleet/fleet-encoder.js';
import { FLEET_QUEUE } from '../src/fleet/fleet-job.js';
import {
  FleetEncoder,
  type FleetMemberOptions,
  type FleetPlace,
  runFleetMember,
} from '../src/fleet/index.js';
import { openBlobStore } from '../src/fleet/store/open-blob-store.js';
import { openGenerator } from '../src/generate/index.js';
import { openVectorIndex, type VectorSearcher } from '../src/index/vectors/index.js';
import { createEncoderModel, Encoder, saveEncoderModel } from '../src/model/index.js';
import { createBert2Rnd } from '../src/model/seq2seq/create-bert2rnd.js';
import { saveSeq2Seq } from '../src/model/seq2seq/seq2seq-model.js';
import { RunDirectory } from '../src/run/run-directory.js';
import { bestSoFar } from '../src/run/step-evaluation.js';
import { writeCrossEncoder } from '../src/teacher/cross-encoder.fixture.js';
import { PairScorer } from '../src/teacher/index.js';
import { Tokenizer } from '../src/text/index.js';
import { tokenizerJsons } from '../src/text/tokenizer.fixture.js';
import { weightsOf } from '../src/train/run.fixture.js';
import { runBuiltCli } from './console-blocks.fixture.js';
import { hasRedis, type S3Server, startRedis, startS3 } from './fleet.fixture.js';
import { freePort } from './free-port.fixture.js';
import { exitOf } from './kill.fixture.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');

describe.skipIf(!hasRedis())('what a fleet does besides encoding files', () => {
  let folder: string;
  let redis: ChildProcess;
  let s3: S3Server | undefined;
  const machines: ChildProcess[] = [];
  let place: FleetPlace;
  const at = (name: string): string => join(folder, name);
  const tokenizer = async (): Promise<Tokenizer> => Tokenizer.fromJson((await tokenizerJsons()).wordPiece);
  const encoderModel = async (seed = 7) =>
    createEncoderModel({
      tokenizer: await tokenizer(),
      hiddenSize: 16,
      layers: 1,
      heads: 2,
      maxLength: 16,
      seed,
    });

  /** Workers in this process while something is done. */
  async function withWorkers<T>(
    count: number,
    work: () => Promise<T>,
    options: Partial<FleetMemberOptions> = {},
  ): Promise<T> {
    const stop = new AbortController();
    const member = (): Promise<void> =>
      runFleetMember({ ...place, threads: 1, lockSeconds: 2, signal: stop.signal, ...options });
    const members = Array.from({ length: count }, member);
    try {
      return await Promise.race([
        work(),
        Promise.all(members).then(() => Promise.reject(new Error('all left'))),
      ]);
    } finally {
      stop.abort();
      await Promise.allSettled(members);
    }
  }

  async function inQueue<T>(look: (queue: Queue) => Promise<T>): Promise<T> {
    const connection = new Redis(place.queue, { maxRetriesPerRequest: null });
    const queue = new Queue(FLEET_QUEUE, { connection });
    try {
      return await look(queue);
    } finally {
      await queue.close();
      connection.disconnect();
    }
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nearmiss-fleet-'));
    const port = await freePort();
    redis = await startRedis(at('redis'), port);
    place = { queue: `redis://127.0.0.1:${port}`, store: at('store') };
    s3 = await startS3(folder);
    Object.assign(process.env, s3?.env);
    await writeTinyData(folder);
  });
  afterAll(async () => {
    for (const name of Object.keys(s3?.env ?? {})) delete process.env[name];
    for (const machine of machines) machine.kill('SIGKILL');
    await s3?.close();
    redis?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  test('a store keeps blobs, in a folder or in S3', async () => {
    for (const address of [at('blobs'), ...(s3 ? [s3.address] : [])]) {
      const store = await openBlobStore(address);
      expect(await store.get('a/b')).toBeUndefined();
      expect(await store.has('a/b')).toBe(false);
      const content = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
      await store.put('a/b', content.subarray(3));
      await store.put('a/b', content.subarray(3));
      expect(await store.has('a/b')).toBe(true);
      expect([...(await store.get('a/b'))!]).toEqual([...content.subarray(3)]);
      await store.remove('a/b');
      await store.remove('a/b');
      expect(await store.get('a/b')).toBeUndefined();
    }
  });

  const said = new Map<ChildProcess, string>();
  const machineSays = (machine: ChildProcess): string => said.get(machine) ?? '';

  /** A machine: a process with folders of its own for what it keeps, and nothing but the queue and the store. */
  async function startMachine(name: string, { queue, store }: FleetPlace): Promise<ChildProcess> {
    const own = join(folder, name);
    await mkdir(own);
    const args = ['fleet', 'worker', '--queue', queue, '--store', store, '--threads', '1'];
    const machine = spawn(process.execPath, [CLI, ...args], {
      cwd: own,
      env: { ...process.env, TMPDIR: own, NEARMISS_CACHE: join(own, 'cache') },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    machines.push(machine);
    said.set(machine, '');
    machine.stderr!.on('data', (text) => said.set(machine, machineSays(machine) + text));
    await expect.poll(() => machineSays(machine)).toContain('listening');
    return machine;
  }

  test('ANCE on machines with nothing but a queue and S3 between: the same bits', async () => {
    const here = await trainTinyRun(folder, 'here');
    const store = s3?.address ?? place.store;
    const args = [
      'train',
      '--data',
      at('data'),
      '--recipe',
      'tiny',
      '--out',
      at('there'),
      '--quiet',
      '--json',
    ];
    const fleet = [
      '--queue',
      place.queue,
      '--store',
      store,
      '--trainer-threads',
      '1',
      '--inferencer-threads',
      '1',
    ];
    const members = await Promise.all(
      ['machine-1', 'machine-2'].map((name) => startMachine(name, { ...place, store })),
    );
    const outcome = await runBuiltCli([...args, ...fleet]);
    expect(outcome.stderr).not.toMatch(/error/i);
    expect(outcome.code).toBe(0);
    const there = new RunDirectory(at('there'));
    const [last] = (await here.steps('checkpoints')).slice(-1);
    expect((await weightsOf(there, last)).equals(await weightsOf(here, last))).toBe(true);
    expect((await bestSoFar(there))?.measures).toEqual((await bestSoFar(here))?.measures);
    // Of the models of all steps a worker keeps the one it is at.
    for (const name of ['machine-1', 'machine-2']) {
      const own = (await readdir(at(name))).filter((entry) => entry.includes('nearmiss-worker'));
      const models = await Promise.all(own.map((entry) => readdir(join(at(name), entry))));
      expect(models.flat().length).toBeLessThanOrEqual(1);
    }
    for (const machine of members) machine.kill('SIGTERM');
    expect(await Promise.all(members.map(exitOf))).toEqual([0, 0]);
    const shards = members.flatMap((machine) => [...machineSays(machine).matchAll(/^shard \d+: (\w+)/gm)]);
    expect(shards.length).toBeGreaterThanOrEqual(3);
    expect(new Set(shards.map(([, task]) => task))).toEqual(new Set(['encode']));
  });

  test('pairs are scored and queries written as one process does', async () => {
    await writeCrossEncoder(at('cross'));
    const pairs = Array.from({ length: 300 }, (_, i): [string, string] => [`near ${i % 7}`, `a miss b ${i}`]);
    const score = async (cache: string, fleet?: FleetPlace): Promise<Float32Array> => {
      const scorer = await PairScorer.open(at('cross'), { cache: at(cache), session: { threads: 1 }, fleet });
      return scorer.score(pairs).finally(() => scorer.close());
    };
    await saveSeq2Seq(
      at('writer'),
      createBert2Rnd(await encoderModel(), { decoderLayers: 1, maxSource: 12, maxTarget: 8, seed: 3 }),
    );
    const passages = Array.from({ length: 150 }, (_, key) => ({ key, text: `near a miss ${key}` }));
    const write = async (fleet?: FleetPlace): Promise<string[][]> => {
      const sampling = { count: 2, temperature: 1, seed: 3, topK: 10, topP: 1, beams: 0, lengthPenalty: 1 };
      const limits = { minTokens: 1, repetitionPenalty: 1, noRepeat: 0 };
      const writer = await openGenerator(at('writer'), {
        ...sampling,
        ...limits,
        session: { threads: 1 },
        fleet,
      });
      return writer.generate(passages).finally(() => writer.close());
    };
    const [scores, queries] = await withWorkers(
      2,
      async () => [await score('c1', place), await write(place)] as const,
    );
    const expected = await score('c2');
    expect(scores.every((value, i) => Math.abs(value - expected[i]) < 1e-5)).toBe(true);
    expect(queries).toEqual(await write());
    expect(
      (await readdir(at('store'), { recursive: true })).filter((name) => /^(inputs|results)\/./.test(name)),
    ).toEqual([]);
  });

  test('label and generate write the same files with workers as without', async () => {
    await writeCrossEncoder(at('teacher'));
    await saveSeq2Seq(
      at('generator'),
      createBert2Rnd(await encoderModel(), { decoderLayers: 1, maxSource: 12, maxTarget: 8, seed: 5 }),
    );
    const done = async (...args: string[]): Promise<void> => {
      const { code, stderr } = await runBuiltCli(args);
      expect(code, stderr).toBe(0);
    };
    await done('mine', at('data'), '--depth', '5', '--show', '0', '--out', at('mined'));
    const both = async (kind: string, ...more: string[]): Promise<string[]> => {
      // Scores that are kept would hide who has computed them.
      vi.stubEnv('NEARMISS_CACHE', at(`cache-${kind}`));
      const [labels, queries] = [at(`${kind}.trec`), at(`${kind}.jsonl`)];
      const label = ['label', at('data'), '--model', at('teacher'), '--candidates', at('mined')];
      await done(...label, '--out', labels, ...more);
      const generate = ['generate', at('data'), '--generator', at('generator'), '--count', '2'];
      await done(...generate, '--out', queries, ...more);
      vi.unstubAllEnvs();
      return Promise.all([labels, queries].map((file) => readFile(file, 'utf8')));
    };
    const tasks = new Set<string>();
    const there = await withWorkers(2, () => both('there', '--queue', place.queue, '--store', place.store), {
      onShard: ({ task }) => tasks.add(task),
    });
    expect(there).toEqual(await both('here', '--threads', '1'));
    expect(tasks.size).toBe(2);
  });

  test('the newest step wins; a shard that is delivered twice is done once', async () => {
    const model = await encoderModel();
    const open = (order: number): Promise<FleetEncoder> =>
      FleetEncoder.open({ ...place, model, use: 'document', precision: 'fp32', group: 'run', order });
    const waiting = (): Promise<number> => inQueue((queue) => queue.getWaitingCount());
    const old = await open(1);
    for (let i = 0; i < 5; i++) await old.ask([`near ${i}`]);
    expect(await waiting()).toBe(5);
    const newer = await open(2);
    expect(await waiting()).toBe(0);
    const asked: AskedShard[] = [];
    for (let i = 0; i < 6; i++) asked.push(await newer.ask([`a miss ${i}`, 'b']));
    // The same shards once more under other names, and one of the step that is over.
    await inQueue(async (queue) => {
      for (const { job } of asked) await queue.add('encode', job, { jobId: `again-${job.id}` });
      await queue.add('encode', { ...asked[0].job, id: 'f'.repeat(64), order: 1 }, { jobId: 'late' });
    });
    const done: string[] = [];
    const rows = await withWorkers(
      2,
      async () => {
        const all = [];
        for (const shard of asked) all.push(await newer.rows(shard));
        while (await inQueue(async (queue) => (await queue.getJobCountByTypes('waiting', 'active')) > 0))
          await sleep(20);
        return all;
      },
      { onShard: ({ id }) => done.push(id) },
    );
    // Two workers may have begun the same shard at the same moment; what they wrote is the same.
    expect(new Set(done)).toEqual(new Set(asked.map(({ job }) => job.id)));
    const encoder = await Encoder.create(model, { session: { threads: 1 } });
    for (const [i, { vectors }] of rows.entries()) {
      const expected = await encoder.encode([`a miss ${i}`, 'b'], { use: 'document' });
      expect(vectors.every((value, j) => Math.abs(value - expected.vectors[j]) < 1e-5)).toBe(true);
    }
    await encoder.release();
    await newer.forget();
    await Promise.all([old.close(), newer.close()]);
  });

  test('a shard that all of its workers died of is told', async () => {
    const fleet = await FleetEncoder.open({
      ...place,
      model: await encoderModel(13),
      use: 'document',
      precision: 'fp32',
    });
    const shard = await fleet.ask(['near', 'miss']);
    const connection = new Redis(place.queue, { maxRetriesPerRequest: null });
    // What the queue itself does after the last of many deaths, each of which takes a lock's time.
    const worker = new Worker(
      FLEET_QUEUE,
      () => Promise.reject(new UnrecoverableError('job stalled more than allowable limit')),
      { connection },
    );
    await expect(fleet.rows(shard)).rejects.toThrow(
      'every worker that took a shard of 2 to encode was killed or fell silent',
    );
    await worker.close();
    connection.disconnect();
    // The others go on, and so does the same command.
    const again = await fleet.ask(['near', 'miss']);
    expect((await withWorkers(1, () => fleet.rows(again))).vectors.length).toBe(32);
    await fleet.forget();
    await fleet.close();
  });

  test('an index of a collection: workers encode, and it finds what one made here finds', async () => {
    await saveEncoderModel(at('indexing'), await encoderModel(11));
    const index = async (out: string, more: string[] = []): Promise<VectorSearcher> => {
      const args = ['index', at('data'), at(out), '--model', at('indexing'), '--quiet', '--json', ...more];
      const { stdout, stderr, code } = await runBuiltCli(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ documents: 196, dimension: 16 });
      return openVectorIndex(at(out));
    };
    const fleet = ['--queue', place.queue, '--store', place.store, '--shard-size', '20'];
    const [here, there] = [
      await index('indexed-here'),
      await withWorkers(2, () => index('with-workers', fleet)),
    ];
    const query = new Float32Array(16).fill(0.25);
    const [expected, got] = await Promise.all([here, there].map((made) => made.search(query, { k: 20 })));
    expect([...got.ids]).toEqual([...expected.ids]);
    for (const [i, score] of got.scores.entries()) expect(score).toBeCloseTo(expected.scores[i], 5);
    expect((await readdir(folder)).filter((name) => name.startsWith('.partial-'))).toEqual([]);
    const refused = await runBuiltCli(['index', 'x.npy', at('refused'), ...fleet]);
    expect(refused.stderr).toMatch(/expected the folder of a collection, got x\.npy/);
  });

  test('a worker without room leaves, and its shard is done by another', async () => {
    const model = await encoderModel(9);
    await saveEncoderModel(at('model'), model);
    const fleet = await FleetEncoder.open({ ...place, model, use: 'document', precision: 'fp32' });
    const shard = await fleet.ask(Array.from({ length: 40 }, (_, i) => `near miss ${i}`));
    // No file may grow beyond 4 blocks: what a full disk says, of a machine that has none.
    const limited = `trap '' XFSZ; ulimit -f 4; exec "${process.execPath}" "${CLI}" fleet worker --queue "${place.queue}" --store "${place.store}" --threads 1 --lock 2`;
    const worker = spawn('bash', ['-c', limited], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    worker.stderr!.on('data', (text) => {
      said += text;
    });
    expect(await exitOf(worker)).toBe(1);
    expect(said).toMatch(/there is no room left here/);
    const { vectors } = await withWorkers(1, () => fleet.rows(shard));
    expect(vectors.length).toBe(40 * 16);
    await fleet.forget();
    await fleet.close();
    const left = await readdir(at('store'), { recursive: true });
    expect(left.filter((name) => /^(inputs|results)\/./.test(name) || name.includes('.partial-'))).toEqual(
      [],
    );
  });
});
