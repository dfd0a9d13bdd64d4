import { NearmissError, UsageError } from '../../../base/errors.js';
import type { ConnectOptions, Engine, EngineAddress, EngineConnection } from '../engine.js';

const DEFAULT_POOL = 4;
const SSL_MODES = ['disable', 'require', 'verify-full'];

/** PostgreSQL with the extension pgvector. */
export const pgvector = {
  name: 'pgvector',
  schemes: ['postgres', 'postgresql', 'pgvector'],
  example: 'postgres://me@a:5432,b:5432/mydb/docs',
  hasDatabases: true,
  settings: ['pool', 'sslmode'],

  async connect(address: EngineAddress, { patienceMs }: ConnectOptions = {}): Promise<EngineConnection> {
    const { hosts, database, user, text } = address;
    if (database === undefined) {
      throw new UsageError(`${text}: expected the name of a database, got none`, {
        hint: `for example ${pgvector.example}`,
      });
    }
    const [{ PgSessions }, { PgvectorConnection }, { checkExtension }] = await Promise.all([
      import('./pg-sessions.js'),
      import('./pgvector-connection.js'),
      import('./pgvector-extension.js'),
    ]);
    const sessions = await PgSessions.open({
      hosts,
      database,
      user,
      secure: isSecure(address),
      pool: poolOf(address),
      totalMs: patienceMs,
    });
    try {
      await checkExtension(sessions);
      return new PgvectorConnection(sessions);
    } catch (error) {
      await sessions.close();
      throw error;
    }
  },
} as const satisfies Engine;

function isSecure({ secure, settings: { sslmode }, text }: EngineAddress): boolean {
  if (sslmode !== undefined && !SSL_MODES.includes(sslmode)) {
    throw new UsageError(
      `${text}: sslmode: expected ${SSL_MODES.join(', ')}, got ${JSON.stringify(sslmode)}`,
    );
  }
  if (secure && sslmode === 'disable') {
    throw new NearmissError(`${text}: TLS is both asked for and refused`, {
      hint: 'leave out sslmode=disable, or the s of the scheme',
    });
  }
  return secure || (sslmode !== undefined && sslmode !== 'disable');
}

function poolOf({ settings: { pool }, text }: EngineAddress): number {
  if (pool === undefined) return DEFAULT_POOL;
  if (!/^[1-9]\d{0,2}$/.test(pool)) {
    throw new UsageError(
      `${text}: pool: expected connections at once, from 1 to 999, got ${JSON.stringify(pool)}`,
    );
  }
  return Number(pool);
}
