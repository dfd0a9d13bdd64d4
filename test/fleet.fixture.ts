import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port.fixture.js';

/** Whether there is a Redis here, or not, which is said. */
export function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('fleet: no redis-server here (Debian: apt-get install redis-server): left out\n');
    return false;
  }
}

/** Starts a Redis that keeps what it is told in `folder`; resolves once it answers. */
export async function startRedis(folder: string, port: number): Promise<ChildProcess> {
  await mkdir(folder, { recursive: true });
  const keeping = ['--dir', folder, '--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', ...keeping], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for await (const line of redis.stdout!) if (String(line).includes('Ready to accept')) return redis;
  throw new Error(`redis-server ended with ${redis.exitCode}`);
}

/** An S3 store on this machine. */
export interface S3Server {
  /** Of the bucket. */
  address: string;
  /** What clients of it need in their environment. */
  env: Record<string, string>;
  close(): Promise<void>;
}

type S3rver = new (
  options: Record<string, unknown>,
) => {
  run(): Promise<{ port: number }>;
  close(): Promise<void>;
  httpServer?: Server;
};

/** Starts an S3 store in this process; undefined where the test dependency is not there, which is said. */
export async function startS3(folder: string): Promise<S3Server | undefined> {
  let S3rver: S3rver;
  try {
    S3rver = createRequire(import.meta.url)('s3rver') as S3rver;
  } catch {
    process.stderr.write('fleet: no s3rver among the test dependencies: left out\n');
    return undefined;
  }
  const port = await freePort();
  const server = new S3rver({
    port,
    address: '127.0.0.1',
    silent: true,
    directory: join(folder, 's3'),
    configureBuckets: [{ name: 'fleet', configs: [] }],
  });
  await server.run();
  return {
    address: 's3://fleet/shards',
    env: {
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    },
    close: () => server.close(),
  };
}
