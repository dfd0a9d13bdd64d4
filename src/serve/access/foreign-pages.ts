import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { shorten } from '../../base/errors.js';
import { ApiError } from '../api-error.js';
import type { Access, AccessOptions } from './access-options.js';
import { isAllowed } from './origins.js';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A server for this machine alone is still reachable by every web page that its user opens. So pages of other origins
 * read what they are allowed to and change nothing without a key, and, where no key protects it, names that somebody
 * let point to this machine (DNS rebinding) get no answer.
 */
export function refuseForeignPages(
  request: FastifyRequest,
  access: Access,
  { keys, loopback, origins }: Pick<AccessOptions, 'keys' | 'loopback' | 'origins'>,
): void {
  if (keys === undefined && loopback && !isLoopbackHost(hostName(request.headers.host ?? ''))) {
    throw new ApiError(403, 'forbidden', 'this server answers only to the names of this machine itself', {
      hint: 'ask for http://localhost or http://127.0.0.1; a server that wants API keys answers to any name',
    });
  }
  const { origin } = request.headers;
  if (SAFE_METHODS.has(request.method) || origin === undefined) return;
  if (sameHost(origin, request.headers.host)) return;
  if (!isAllowed(origin, origins)) {
    throw new ApiError(403, 'forbidden', `pages of ${shorten(origin)} may not use this server`, {
      hint: 'whoever runs the server can allow their origin',
    });
  }
  const changes = access === 'write' || access === 'admin';
  if (changes && keys === undefined) {
    throw new ApiError(403, 'forbidden', 'pages of other origins change nothing without an API key', {
      hint: 'whoever runs the server can make API keys; a key with the role write takes changes',
    });
  }
}

/** Whether a host name or address means this machine and no other. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}

function hostName(header: string): string {
  return header.replace(/:\d*$/, '');
}

function sameHost(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
