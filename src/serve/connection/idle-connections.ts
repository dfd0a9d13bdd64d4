import type { FastifyInstance } from 'fastify';

/**
 * A connection is silent while its request is worked on, which may take longer than a client may keep silent: the time
 * is not counted from the request's beginning until its answer is sent.
 */
export function keepWhileAtWork(app: FastifyInstance, idleMs: number): void {
  app.addHook('onRequest', async ({ raw }) => {
    raw.socket.setTimeout(0);
  });
  app.addHook('onSend', async ({ raw }) => {
    raw.socket.setTimeout(idleMs);
  });
}
