import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasRedis, startRedis } from '../../test/fleet.fixture.js';
import { freePort } from '../../test/free-port.fixture.js';
import { exitOf } from '../../test/kill.fixture.js';
import { connectQueue } from './connect.js';

test.each([
  ['redis://127.0.0.1:99999'],
  ['redis://'],
  ['redis://:half%@127.0.0.1'],
  ['redis://127.0.0.1/jobs'],
  ['127.0.0.1:6379'],
])('%s is refused as an address, and no password is shown', async (address) => {
  await expect(connectQueue(address)).rejects.toThrow('--queue: expected redis://HOST:PORT, got');
  await expect(connectQueue(address)).rejects.not.toThrow('half');
});

test('one that is not there is told with the reason', async () => {
  await expect(connectQueue('redis://127.0.0.1:1')).rejects.toThrow(
    'no Redis answers at redis://127.0.0.1:1: connect ECONNREFUSED',
  );
});

describe.skipIf(!hasRedis())('a Redis', () => {
  let folder: string;
  let redis: ChildProcess;
  let port: number;
  const at = (user = '', database = ''): string => `redis://${user}127.0.0.1:${port}${database}`;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nearmiss-queue-'));
    port = await freePort();
    redis = await startRedis(folder, port);
  });
  afterAll(async () => {
    redis?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  test('that goes away is waited for, and whoever waits is told', async () => {
    const told: string[] = [];
    const { redis: connection } = await connectQueue(at(), (line) => told.push(line));
    redis.kill('SIGKILL');
    await exitOf(redis);
    await expect.poll(() => told).toEqual([`the queue at ${at()} does not answer: waiting for it`]);
    const waiting = connection.ping();
    redis = await startRedis(folder, port);
    expect(await waiting).toBe('PONG');
    expect(told.slice(1)).toEqual([`the queue at ${at()} answers again`]);
    connection.disconnect();
  });

  test('that lacks the database, or wants another password, says so', async () => {
    await expect(connectQueue(at('', '/99'))).rejects.toThrow('DB index is out of range');
    const { redis: connection } = await connectQueue(at());
    await connection.config('SET', 'requirepass', 'secret');
    connection.disconnect();
    await expect(connectQueue(at())).rejects.toThrow(/the Redis refuses .*NOAUTH/);
    await expect(connectQueue(at(':guessed@'))).rejects.toThrow(/refuses redis:\/\/:\*\*\*@127.*WRONGPASS/);
    const { redis: again } = await connectQueue(at(':secret@'));
    expect(await again.ping()).toBe('PONG');
    again.disconnect();
  });
});
