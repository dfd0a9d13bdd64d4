import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifySchemaCompiler,
  type FastifyServerOptions,
} from 'fastify';
import type { ZodType } from 'zod';
import { NearmissError } from '../base/errors.js';
import { validate } from '../base/json-file.js';
import { ApiError, errorBody, toApiError } from './api-error.js';
import { answerClientError } from './connection/client-errors.js';
import { registerJsonBody } from './connection/json-body.js';
import type { ServeLimits } from './limits.js';
import { type LogTarget, logStream } from './log/log-stream.js';
import { logRequests, requestId } from './log/request-log.js';
import type { LogLevel } from './names.js';

export interface AppOptions {
  limits: ServeLimits;
  logLevel?: LogLevel;
  /** Default stderr. */
  log?: LogTarget;
}

/** A Fastify without routes that refuses slow, large and malformed requests, and says so in one shape of error. */
export function createApp({ limits, logLevel = 'info', log = process.stderr }: AppOptions): FastifyInstance {
  const app = Fastify({
    logger: { level: logLevel, stream: logStream(log), base: null },
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.receiveMs,
    connectionTimeout: limits.idleMs,
    keepAliveTimeout: limits.idleMs,
    return503OnClosing: false,
    http: {
      headersTimeout: Math.ceil(limits.receiveMs / 4),
      connectionsCheckingInterval: Math.ceil(limits.receiveMs / 8),
    },
    routerOptions: { maxParamLength: 2048 },
    // Given here and not set later, because Fastify would load its own compilers first.
    schemaController: { compilersFactory },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => sendError(error, request.id, reply as FastifyReply),
  });
  app.server.maxConnections = limits.connections;
  // Whatever else a page of another origin can send without asking first is not JSON.
  app.removeContentTypeParser('text/plain');
  registerJsonBody(app);
  app.setErrorHandler((error: FastifyError, request, reply) => sendError(error, request.id, reply));
  logRequests(app);
  return app;
}

const validator: FastifySchemaCompiler<ZodType> =
  ({ schema, httpPart }) =>
  (value) => {
    try {
      const where = httpPart ?? 'request';
      return { value: validate(value === undefined ? {} : value, { where, schema, hint: 'see /docs' }) };
    } catch (error) {
      if (!(error instanceof NearmissError)) throw error;
      return { error: new ApiError(400, 'bad_request', error.message, { hint: error.hint }) };
    }
  };

/** The schemas of answers are for the documentation and the tests; checking each would cost more than some searches. */
const serializer = (): typeof JSON.stringify => JSON.stringify;

/** Fastify's types know its own compilers only. */
const compilersFactory = {
  buildValidator: () => validator,
  buildSerializer: () => serializer,
} as unknown as NonNullable<FastifyServerOptions['schemaController']>['compilersFactory'];

function sendError(error: unknown, requestId: string, reply: FastifyReply): void {
  const known = toApiError(error);
  if (known.statusCode >= 500 && known.cause !== undefined) {
    reply.log.error({ requestId, err: known.cause }, known.message);
  }
  if (known.retryAfter !== undefined) reply.header('retry-after', known.retryAfter);
  if (known.statusCode === 401) reply.header('www-authenticate', 'Bearer realm="nearmiss"');
  reply.code(known.statusCode).type('application/json; charset=utf-8');
  reply.send(JSON.stringify(errorBody(known, requestId)));
}
