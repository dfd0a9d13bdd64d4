import type { KeyRing } from './key-ring.js';

/**
 * Who may use a route: everybody, whoever may read (what a route that says nothing is), whoever may write; `admin` is
 * `write` that a server without changeable documents has, too.
 */
export type Access = 'public' | 'read' | 'write' | 'admin';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }

  interface FastifyRequest {
    /** What the API key is called that the request came with. */
    keyName?: string;
  }
}

export interface AccessOptions {
  /** Without keys reading is open, and writing where {@link AccessOptions.loopback} says so. */
  keys?: KeyRing;
  /** Whether only this machine can reach the server. */
  loopback: boolean;
  readOnly: boolean;
  /** Pages of these origins may use the API; to change something they need a key. */
  origins: readonly string[];
}
