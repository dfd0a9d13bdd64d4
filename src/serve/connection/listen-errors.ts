import { createServer } from 'node:net';
import { hasCode, NearmissError } from '../../base/errors.js';

export interface Place {
  host: string;
  port: number;
}

/** Fails where a server could not listen there: asked before much is opened for it. */
export async function checkPlace({ host, port }: Place): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error) => reject(listenError(error, { host, port })));
    probe.listen({ host, port }, () => probe.close(() => resolve()));
  });
}

/** Why a server cannot listen, and what to do. */
export function listenError(error: unknown, { host, port }: Place): unknown {
  if (hasCode(error, 'EADDRINUSE')) {
    return new NearmissError(`port ${port} of ${host} is taken`, {
      hint: 'choose another with --port',
      cause: error,
    });
  }
  if (hasCode(error, 'EACCES')) {
    return new NearmissError(`port ${port} may not be used`, {
      hint: 'ports below 1024 need privileges: choose another with --port',
      cause: error,
    });
  }
  if (hasCode(error, 'EADDRNOTAVAIL') || hasCode(error, 'ENOTFOUND')) {
    return new NearmissError(`${host} is not an address of this machine`, {
      hint: 'choose another with --host, e.g. 0.0.0.0 for all',
      cause: error,
    });
  }
  return error;
}
