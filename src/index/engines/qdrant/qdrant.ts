import { NearmissError } from '../../../base/errors.js';
import type { ConnectOptions, Engine, EngineAddress, EngineConnection } from '../engine.js';

const DEFAULT_PORT = 6333;
/** Since when collections have metadata. */
const LEAST_VERSION = [1, 16] as const;
/** Whoever misspells an address is told soon. */
const CONNECT_MS = 10_000;
const KEY = 'QDRANT_API_KEY';

/** Qdrant over REST. */
export const qdrant = {
  name: 'qdrant',
  schemes: ['qdrant'],
  example: 'qdrant://a:6333,b:6333/docs',

  async connect(
    { hosts, secure, text }: EngineAddress,
    { patienceMs }: ConnectOptions = {},
  ): Promise<EngineConnection> {
    const [{ EngineHttp }, { QdrantConnection }] = await Promise.all([
      import('../engine-http.js'),
      import('./qdrant-connection.js'),
    ]);
    const key = process.env[KEY];
    const http = new EngineHttp({
      engine: 'Qdrant',
      origins: hosts.map(
        (host) => `${secure ? 'https' : 'http'}://${/:\d+$/.test(host) ? host : `${host}:${DEFAULT_PORT}`}`,
      ),
      headers: key === undefined ? {} : { 'api-key': key },
      totalMs: patienceMs,
      keyHint: `set ${KEY} to a key that may do this`,
    });
    const { version = '' } = await http.json<{ version?: string }>('/', { totalMs: CONNECT_MS });
    const [major, minor] = version.split('.').map(Number);
    if (!(major > LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor >= LEAST_VERSION[1]))) {
      throw new NearmissError(
        `${text}: expected Qdrant ${LEAST_VERSION.join('.')} or later, got ${version || 'something else'}`,
        { hint: 'earlier versions keep no description of a collection' },
      );
    }
    return new QdrantConnection(http);
  },
} as const satisfies Engine;
