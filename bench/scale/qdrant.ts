import { readFileSync } from 'node:fs';
import { connectEngine } from '../../src/index/engines/connect.js';
import { documentBatches } from '../../src/index/engines/document-batches.js';
import type { EngineConnection, EngineSettings } from '../../src/index/engines/engine.js';
import { loadVersion } from '../../src/index/engines/load-version.js';
import { QdrantServers, qdrantBinary } from '../../src/index/engines/qdrant/qdrant-servers.fixture.js';
import { oneRowEach } from '../../src/model/encoder/encoded-texts.js';
import { VectorFile } from '../../src/model/index.js';
import { processorSeconds } from './step.js';
import type { GraphEffort, Subject } from './systems.js';

const NAME = 'scale';
const FINGERPRINT = 'f'.repeat(64);
const BLOCK = 8192;

/** A Qdrant on this machine, loaded and asked as `nearmiss push` and `search` do. Memory is the server's. */
export function qdrant(
  settings: EngineSettings,
  { connectivity: m, expansionAdd: ef_construct, expansionSearch: efSearch }: GraphEffort,
): Subject {
  let servers: QdrantServers | undefined;
  let connection: EngineConnection;
  const start = async (folder: string): Promise<void> => {
    const binary = qdrantBinary();
    if (binary === undefined) throw new Error('Qdrant cannot be had on this platform');
    servers = await QdrantServers.start(binary, { folder });
    connection = await connectEngine(servers.address());
    const create = connection.create.bind(connection);
    connection.create = async (version, description) => {
      await create(version, description);
      if (m === undefined && ef_construct === undefined) return;
      // What an adapter has no words for is said to the server itself.
      const body = JSON.stringify({ hnsw_config: { m, ef_construct } });
      const url = `http://${servers!.peers[0].host}/collections/${version}`;
      const headers = { 'content-type': 'application/json' };
      const { ok, status } = await fetch(url, { method: 'PATCH', body, headers });
      if (!ok) throw new Error(`Qdrant refuses ${body}: ${status}`);
    };
  };
  return {
    async build(vectors, folder) {
      await start(folder);
      const file = await VectorFile.open(vectors);
      const { dimension, rows: count } = file;
      await loadVersion(connection, {
        name: NAME,
        description: {
          shape: { ...settings, dimension, compare: 'one', sparse: false },
          ...{ count, findable: count, fingerprint: FINGERPRINT, documents: false, createdBy: 'bench' },
        },
        async *batches() {
          for await (const batch of documentBatches(file.blocks(BLOCK), oneRowEach(count), dimension)) {
            const documents = Array.from({ length: batch.count }, (_, i) => ({
              id: String(batch.first + i),
            }));
            yield { ...batch, documents };
          }
        },
        onNote: (note) => console.error(note),
      });
      await file.close();
    },
    async open(folder, dimension) {
      await start(folder);
      const [version] = await connection.versions(NAME);
      return async (vectors, k) => {
        const rows = { vectors, offsets: oneRowEach(vectors.length / dimension) };
        const { hits } = await connection.search(version, { rows, k, efSearch });
        return hits.map((found) => found.map(({ number }) => number));
      };
    },
    serverCpuSeconds: () => processorSeconds(servers!.peers[0].pid),
    async close() {
      await connection.close();
      const status = readFileSync(`/proc/${servers!.peers[0].pid}/status`, 'utf8');
      await servers!.stop();
      return { serverRssMb: Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024) };
    },
  };
}
