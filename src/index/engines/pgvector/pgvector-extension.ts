import { NearmissError } from '../../../base/errors.js';
import { codeOf, MADE_MEANWHILE } from './pg-errors.js';
import type { PgClient, PgSessions } from './pg-sessions.js';

/** Since when a graph goes on looking where a filter leaves too few. */
const LEAST_VERSION = [0, 8] as const;
/** Whoever misspells an address is told soon. */
const CONNECT_MS = 10_000;

/** Fails where the server has an extension that is too old, or cannot have it. */
export async function checkExtension(sessions: PgSessions): Promise<void> {
  const version = await sessions.transaction(versionOf, { totalMs: CONNECT_MS });
  if (version !== undefined) checkVersion(version);
}

/** Creates the extension where it is missing. */
export async function createExtension(sessions: PgSessions): Promise<void> {
  if ((await sessions.transaction(versionOf)) !== undefined) return;
  try {
    await sessions.transaction((client) => client.query('create extension if not exists vector'), {
      writes: true,
    });
  } catch (error) {
    const { cause } = error as Error;
    const version = await sessions.transaction(versionOf);
    if (version === undefined || !MADE_MEANWHILE.includes(codeOf(cause))) throw notThere(error as Error);
  }
  checkVersion((await sessions.transaction(versionOf)) ?? '');
}

async function versionOf(client: PgClient): Promise<string | undefined> {
  const { rows } = await client.query<{ extversion: string }>(
    "select extversion from pg_extension where extname = 'vector'",
  );
  return rows[0]?.extversion;
}

function checkVersion(version: string): void {
  const [major, minor] = version.split('.').map(Number);
  if (major > LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor >= LEAST_VERSION[1])) return;
  throw new NearmissError(`expected pgvector ${LEAST_VERSION.join('.')} or later, got ${version}`, {
    hint: 'install a later one on the server, then: alter extension vector update',
  });
}

function notThere(error: Error): NearmissError {
  return new NearmissError(`the database has no extension "vector": ${error.message}`, {
    hint: 'install pgvector on the server; then, as its owner, in this database: create extension vector',
    cause: error,
  });
}
