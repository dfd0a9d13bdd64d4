import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../../test/free-port.fixture.js';
import { Random } from '../../../engine/random.js';
import { oneRowEach } from '../../../model/encoder/encoded-texts.js';
import { parseEngineAddress } from '../address.js';
import { connectEngine } from '../connect.js';
import type { VersionDescription } from '../engine.js';
import { FlakyProxy } from './flaky-proxy.fixture.js';
import { refusal } from './pg-errors.js';
import { PgSessions } from './pg-sessions.js';
import { hasPostgres, type PostgresServer, startPglite, startPostgres } from './postgres-server.fixture.js';

const [DIMENSION, COUNT] = [8, 3000];
const describing = (shape: Partial<VersionDescription['shape']> = {}): VersionDescription => ({
  shape: { dimension: DIMENSION, compare: 'one', sparse: false, ...shape },
  count: COUNT,
  findable: COUNT,
  fingerprint: 'f'.repeat(64),
  documents: true,
  createdBy: 'test',
  complete: false,
});

describe.skipIf(!hasPostgres())('a PostgreSQL that is far away', () => {
  let server: PostgresServer;
  let proxy: FlakyProxy;
  let sessions: PgSessions;
  let far: string;
  const alive = { query: 'select 1 as one' };
  const ask = (client: { query(sql: string): Promise<{ rows: unknown[] }> }): Promise<unknown> =>
    client.query(alive.query).then(({ rows }) => rows[0]);

  beforeAll(async () => {
    server = await startPostgres();
    const { hosts, database, user } = parseEngineAddress(server.address());
    const [host, port] = hosts[0].split(':');
    proxy = new FlakyProxy(host, Number(port));
    await proxy.open();
    far = `postgres://${user}@${proxy.host}/${database}`;
    sessions = await PgSessions.open({
      ...{ hosts: [proxy.host], database: database!, user, secure: false, pool: 2 },
    });
  });
  afterAll(async () => {
    await sessions?.close();
    await proxy?.cut();
    await server?.stop();
  });

  test('what breaks is done again when it is there again', async () => {
    expect(await sessions.transaction(ask)).toEqual({ one: 1 });
    await proxy.cut();
    const waiting = sessions.transaction(ask);
    await sleep(200);
    await proxy.open();
    expect(await waiting).toEqual({ one: 1 });
  });

  test('one that does not come back is told of, with its address and the reason', async () => {
    await proxy.cut();
    await expect(sessions.transaction(ask, { totalMs: 300 })).rejects.toThrow(
      new RegExp(`PostgreSQL at ${proxy.host} does not answer \\(\\d+ tries\\): .*ECONNREFUSED`),
    );
    await proxy.open();
  });

  test('another machine is asked', async () => {
    const { database, user } = parseEngineAddress(far);
    const several = await PgSessions.open({
      hosts: [`127.0.0.1:${await freePort()}`, proxy.host],
      ...{ database: database!, user, secure: false, pool: 1 },
    });
    expect(await several.transaction(ask, { totalMs: 5000 })).toEqual({ one: 1 });
    await several.close();
  });

  test('silence ends after the time that was given; who leaves is let go', async () => {
    proxy.silent = true;
    const limits = { tryMs: 100, totalMs: 100 };
    await expect(sessions.transaction(ask, limits)).rejects.toThrow(/does not answer|not answer in time/);
    const abort = AbortSignal.timeout(100);
    await expect(sessions.transaction(ask, { signal: abort })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    proxy.silent = false;
    expect(await sessions.transaction(ask)).toEqual({ one: 1 });
  });

  test('what a server refuses is not asked again', async () => {
    alive.query = 'select nothing from nowhere';
    await expect(sessions.transaction(ask)).rejects.toThrow(
      `PostgreSQL at ${proxy.host}: relation "nowhere" does not exist`,
    );
    alive.query = 'select 1 as one';
  });

  test('the graph is used, and goes on where a filter lets little through', async () => {
    const connection = await connectEngine(far);
    const random = Random.from(3, 'graph');
    const vectors = Float32Array.from({ length: COUNT * DIMENSION }, () => random.normal());
    const rows = { vectors, offsets: oneRowEach(COUNT) };
    const documents = Array.from({ length: COUNT }, (_, i) => ({
      id: `d${i}`,
      fields: { texts: {}, numbers: { nth: [i] }, flags: {}, present: ['nth'], nulls: [] },
    }));
    const version = 'graph-0123456789ab';
    await connection.create(version, describing());
    await connection.add(version, { first: 0, documents, rows });
    const fields = { texts: new Set<string>(), numbers: new Set(['nth']), flags: new Set<string>() };
    await connection.build(version, fields);
    expect(await connection.state(version)).toEqual({ count: COUNT, ready: true, note: undefined });
    const queries = { vectors: vectors.slice(0, 20 * DIMENSION), offsets: oneRowEach(20) };
    const numbers = async (search: object): Promise<number[][]> =>
      (await connection.search(version, { rows: queries, k: 10, ...search })).hits.map((hits) =>
        hits.map(({ number }) => number),
      );
    const [exact, near] = [await numbers({ exact: true }), await numbers({})];
    const shared = near.flatMap((found, q) => found.filter((number) => exact[q].includes(number)));
    expect(shared.length).toBeGreaterThan(190);
    const scans = await sessions.transaction(async (client) => {
      const { rows } = await client.query(
        `explain select number from "nearmiss_${version}" order by row <#> '[1,0,0,0,0,0,0,0]' limit 10`,
      );
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    expect(scans).toContain(`Index Scan using "nearmiss_${version}_g"`);
    const filter = { field: 'nth', compare: '$lt', bound: 12 } as const;
    for (const found of await numbers({ filter })) {
      expect(found).toHaveLength(10);
      expect(Math.max(...found)).toBeLessThan(12);
    }
    await expect(
      connection.add(version, {
        first: 0,
        documents: documents.slice(0, 1),
        rows: { vectors: new Float32Array(3), offsets: oneRowEach(1) },
      }),
    ).rejects.toThrow(/expected 8 dimensions, not 3/);
    await connection.remove(version);
    await expect(numbers({})).rejects.toThrow(/has no tables of graph-0123456789ab|nothing/);
    await connection.close();
  });

  test.each([
    [{ shards: 2 }, /no shards/],
    [{ replicas: 2 }, /no replicas/],
    [{ dimension: 3000 }, /at most 2000 numbers a row for a graph in f32, got 3000/],
    [{ dimension: 17_000, exact: true }, /at most 16000 numbers/],
    [{ quantization: 'binary', compare: 'best' }, /no quantization binary of several rows/],
  ] as const)('a layout %j is refused', async (shape, message) => {
    const connection = await connectEngine(far);
    await expect(connection.create('refused-0123456789ab', describing(shape))).rejects.toThrow(message);
    await connection.close();
  });
});

describe.skipIf(!hasPostgres())('a PostgreSQL without pgvector', () => {
  test('is told of when something is to be written', async () => {
    const server = await startPglite({ extension: false });
    const connection = await connectEngine(server.address());
    expect(await connection.versions('docs')).toEqual([]);
    expect(await connection.current('docs')).toBeUndefined();
    await expect(connection.create('docs-0123456789ab', describing())).rejects.toMatchObject({
      message: expect.stringMatching(/the database has no extension "vector"/),
      hint: expect.stringMatching(/create extension vector/),
    });
    await connection.close();
    await server.stop();
  });
});

test.each([
  ['28P01', /PGPASSWORD/],
  ['3D000', /createdb/],
  ['42501', /grant create on schema/],
  ['53100', /disk is full/],
])('%s comes with advice', (code, hint) => {
  expect(refusal(Object.assign(new Error('said'), { code }), 'h:1')).toMatchObject({
    message: 'PostgreSQL at h:1: said',
    hint: expect.stringMatching(hint),
  });
});

test.each([
  ['postgres://me@h/db/n?sslmode=maybe', /sslmode: expected disable, require, verify-full/],
  ['postgress://me@h/db/n?sslmode=disable', /both asked for and refused/],
  ['postgres://me@h/db/n?pool=0', /pool: expected connections at once/],
  ['pgvector://h', /expected the name of a database/],
])('%s is refused', async (address, message) => {
  await expect(connectEngine(address)).rejects.toThrow(message);
});
