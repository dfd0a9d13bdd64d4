import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { openS3Blobs } from './s3-blobs.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  vi.unstubAllEnvs();
});

test('an answer that breaks off is asked for again', async () => {
  const content = Buffer.from('what a shard became');
  let asked = 0;
  const started = createServer((_, response) => {
    response.writeHead(200, { 'content-length': content.length });
    if (++asked > 1) return response.end(content);
    response.write(content.subarray(0, 5), () => response.destroy());
  });
  server = started;
  await new Promise<void>((done) => started.listen(0, '127.0.0.1', done));
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(started.address() as AddressInfo).port}`);
  const store = await openS3Blobs('s3://fleet/shards');
  expect(Buffer.from((await store.get('results/a'))!)).toEqual(content);
  expect(asked).toBe(2);
});
