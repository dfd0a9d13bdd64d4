import { describe } from 'vitest';
import { engineConformance } from '../engine.conformance.js';
import { hasPostgres, type PostgresServer, startPostgres } from './postgres-server.fixture.js';

let server: PostgresServer;

describe.skipIf(!hasPostgres())('with a PostgreSQL', () => {
  engineConformance('pgvector', {
    async start() {
      server = await startPostgres();
      return server.address();
    },
    stop: () => server?.stop(),
    without: ['int8'],
  });
});
