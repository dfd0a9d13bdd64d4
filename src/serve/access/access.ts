import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.js';
import type { Role } from '../names.js';
import type { Access, AccessOptions } from './access-options.js';
import { refuseForeignPages } from './foreign-pages.js';
import type { KeyRing } from './key-ring.js';

/** Checks every request before its body is read. */
export function registerAccess(app: FastifyInstance, options: AccessOptions): void {
  app.decorateRequest('keyName', undefined);
  app.addHook('onRequest', async (request) => {
    const access: Access = request.is404 ? 'public' : (request.routeOptions.config.access ?? 'read');
    refuseForeignPages(request, access, options);
    if (access === 'public') return;
    if (access === 'write' && options.readOnly) {
      throw forbidden(
        'this server does not change documents',
        'whoever runs it started it for reading alone',
      );
    }
    if (options.keys !== undefined) return requireKey(request, options.keys, access);
    if (access !== 'read' && !options.loopback) {
      throw forbidden(
        'without API keys, only a server that is bound to this machine takes writes',
        'whoever runs the server can make API keys; a key with the role write takes writes',
      );
    }
  });
}

async function requireKey(request: FastifyRequest, keys: KeyRing, access: Access): Promise<void> {
  const given = keyOf(request);
  if (given === undefined) {
    throw new ApiError(401, 'unauthorized', 'this server wants an API key', {
      hint: 'send it as `Authorization: Bearer KEY` or `X-API-Key: KEY`',
    });
  }
  const key = await keys.find(given);
  if (key === undefined) {
    throw new ApiError(401, 'unauthorized', 'this API key is not known here', {
      hint: 'it may have been mistyped or removed; whoever runs the server can make another',
    });
  }
  const needed: Role = access === 'read' ? 'read' : 'write';
  if (needed === 'write' && key.role !== 'write') {
    throw forbidden(`the API key ${key.id} may only read`, 'use a key with the role write');
  }
  request.keyName = key.name ?? key.id;
}

function keyOf(request: FastifyRequest): string | undefined {
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
  const header = request.headers['x-api-key'];
  return bearer ?? (typeof header === 'string' && header !== '' ? header : undefined);
}

function forbidden(message: string, hint: string): ApiError {
  return new ApiError(403, 'forbidden', message, { hint });
}
