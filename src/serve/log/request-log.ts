import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** A client's own request id, where it is one that can be logged as it is; else a new one. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

/**
 * Gives every answer its request id, and logs one line for each request. Neither keys nor what was asked appear in the
 * log: queries are people's own business.
 */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    const facts = {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      client: request.ip,
    };
    if (reply.statusCode >= 500) app.log.warn(facts, 'request');
    else app.log.info(facts, 'request');
  });
}
