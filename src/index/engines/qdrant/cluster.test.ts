import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../../engine/random.js';
import { oneRowEach } from '../../../model/encoder/encoded-texts.js';
import { bestHits } from '../best-hits.js';
import { connectEngine } from '../connect.js';
import type { EngineBatch, EngineConnection, VersionDescription } from '../engine.js';
import { loadVersion } from '../load-version.js';
import { QdrantServers, qdrantBinary } from './qdrant-servers.fixture.js';

const binary = qdrantBinary();
const [DIMENSION, COUNT, BATCH, K] = [16, 600, 20, 10];

/** What three peers do when one of them is killed. */
describe.skipIf(binary === undefined)('three peers of Qdrant', () => {
  let servers: QdrantServers;
  let connection: EngineConnection;

  beforeAll(async () => {
    servers = await QdrantServers.start(binary!, { peers: 3, apiKey: 'secret' });
    process.env.QDRANT_API_KEY = 'secret';
    connection = await connectEngine(servers.address());
  });
  afterAll(async () => {
    delete process.env.QDRANT_API_KEY;
    await connection?.close();
    await servers?.stop();
  });

  test('fewer machines than copies are told', async () => {
    const notes: string[] = [];
    await loadVersion(connection, {
      name: 'copied',
      description: {
        shape: { dimension: 2, compare: 'one', sparse: false, shards: 2, replicas: 4 },
        count: 1,
        findable: 1,
        fingerprint: 'c'.repeat(64),
        documents: false,
        createdBy: 'test',
      },
      async *batches() {
        const rows = { vectors: Float32Array.of(1, 2), offsets: oneRowEach(1) };
        yield { first: 0, documents: [{ id: 'a' }], rows };
      },
      onNote: (note) => notes.push(note),
    });
    expect(notes.at(-1)).toBe('2 of 8 copies of parts are not there: 4 copies of each need as many machines');
  });

  test('one killed under load: no failed search, no lost write', async () => {
    const random = Random.from(3, 'cluster');
    const vectors = Float32Array.from({ length: COUNT * DIMENSION }, () => random.normal());
    const description: Omit<VersionDescription, 'complete'> = {
      shape: {
        dimension: DIMENSION,
        compare: 'one',
        sparse: false,
        shards: 6,
        replicas: 2,
        quantization: 'int8',
      },
      count: COUNT,
      findable: COUNT,
      fingerprint: 'a'.repeat(64),
      documents: false,
      createdBy: 'test',
    };
    const batches = (): EngineBatch[] =>
      Array.from({ length: COUNT / BATCH }, (_, nth) => ({
        first: nth * BATCH,
        documents: Array.from({ length: BATCH }, (_, i) => ({ id: `d${nth * BATCH + i}` })),
        rows: {
          vectors: vectors.subarray(nth * BATCH * DIMENSION, (nth + 1) * BATCH * DIMENSION),
          offsets: oneRowEach(BATCH),
        },
      }));
    const version = await loadVersion(connection, {
      name: 'searched',
      description,
      async *batches() {
        yield* batches();
      },
    });
    await connection.point('searched', version);
    const written = 'written-0';
    await connection.create(written, { ...description, complete: false });

    const queries = { vectors: vectors.slice(0, 4 * DIMENSION), offsets: oneRowEach(4) };
    const search = async (): Promise<number[][]> => {
      const { hits } = await bestHits(connection, version, { rows: queries, k: K, exact: true });
      return hits.map((found) => found.map(({ number }) => number));
    };
    const expected = await search();
    let [searches, isOver] = [0, false];
    const searching = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        expect(await search()).toEqual(expected);
        searches++;
      }
    });
    const acknowledged: number[] = [];
    const writing = (async () => {
      for (const batch of batches()) {
        await connection.add(written, batch);
        acknowledged.push(...batch.documents.map((_, i) => batch.first + i));
      }
    })();
    while (acknowledged.length < COUNT / 4) await sleep(10);
    // The one that answers is asked first: its death is noticed at once.
    await servers.peers[0].kill();
    await writing;
    const before = searches;
    while (searches < before + 20) await sleep(10);
    isOver = true;
    await Promise.all(searching);
    expect(searches).toBeGreaterThan(20);
    expect(acknowledged).toHaveLength(COUNT);
    const stored = await connection.read(written, acknowledged);
    expect(stored.filter((document, i) => document?.id !== `d${acknowledged[i]}`)).toEqual([]);
    expect(await connection.current('searched')).toBe(version);
    expect((await connection.state(written)).note).toMatch(/copies of parts are out of service/);
  });

  test('a wrong key is told', async () => {
    process.env.QDRANT_API_KEY = 'wrong';
    const other = servers.address().replace(servers.peers[0].host, servers.peers[1].host);
    await expect(connectEngine(other).then((engine) => engine.versions('x'))).rejects.toMatchObject({
      hint: expect.stringContaining('QDRANT_API_KEY'),
    });
  });
});
