import { describe } from 'vitest';
import { engineConformance } from '../engine.conformance.js';
import { QdrantServers, qdrantBinary } from './qdrant-servers.fixture.js';

const binary = qdrantBinary();
let servers: QdrantServers;

describe.skipIf(binary === undefined)('with a Qdrant', () => {
  engineConformance('qdrant', {
    async start() {
      servers = await QdrantServers.start(binary!);
      return servers.address();
    },
    stop: () => servers?.stop(),
  });
});
