import { createRequire } from 'node:module';

export interface PostgresServer {
  /** `postgres://USER@HOST:PORT/DATABASE[/NAME]` */
  address(name?: string): string;
  stop(): Promise<void>;
}

/** Whether PGlite is among the test dependencies, or a server is named; if not, that is said. */
export function hasPostgres(): boolean {
  if (process.env.NEARMISS_POSTGRES) return true;
  try {
    createRequire(import.meta.url).resolve('@electric-sql/pglite-socket');
    return true;
  } catch {
    process.stderr.write(
      'postgres: PGlite is not among the test dependencies, nor is NEARMISS_POSTGRES set: left out\n',
    );
    return false;
  }
}

/**
 * A database of its own on the server that `NEARMISS_POSTGRES` names (`postgres://USER@HOST:PORT/DATABASE`), or PGlite: PostgreSQL itself,
 * compiled for Node.js, one transaction at a time behind the real protocol.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const given = process.env.NEARMISS_POSTGRES;
  return given ? startDatabase(new URL(given)) : startPglite();
}

export async function startPglite({ extension = true, port = 0 } = {}): Promise<PostgresServer> {
  const [{ PGlite }, { vector }, { PGLiteSocketServer }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite-pgvector'),
    import('@electric-sql/pglite-socket'),
  ]);
  const db = await PGlite.create({ extensions: extension ? { vector } : {} });
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port, maxConnections: 50 });
  await server.start();
  return {
    address: addressAt(`postgres://postgres@${server.getServerConn()}/postgres`),
    async stop() {
      await server.stop();
      await db.close();
    },
  };
}

async function startDatabase(server: URL): Promise<PostgresServer> {
  const { default: pg } = await import('pg');
  const name = `nearmiss_test_${process.pid}_${Date.now()}`;
  const run = async (sql: string): Promise<void> => {
    const client = new pg.Client(server.href);
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await run(`create database ${name}`);
  return {
    address: addressAt(`postgres://${server.username}@${server.host}/${name}`),
    stop: () => run(`drop database ${name} with (force)`),
  };
}

function addressAt(database: string): PostgresServer['address'] {
  return (name) => `${database}${name === undefined ? '' : `/${name}`}`;
}
