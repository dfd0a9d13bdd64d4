import type { FastifyReply } from 'fastify';
import type { Searcher } from '../search/searcher.js';
import type { Admission } from './admission.js';
import type { FieldDesk } from './collections/field-desk.js';
import type { ServedCollection } from './collections/served-collection.js';
import type { ServedIndex } from './collections/served-index.js';
import type { ServeLimits } from './limits.js';
import type { ServeMetrics } from './metrics.js';

/** What the routes of a collection share. */
export interface ServeContext {
  readonly collection: ServedCollection;
  /** All that the server serves. */
  readonly collections: readonly ServedCollection[];
  readonly index: ServedIndex;
  readonly fields: FieldDesk;
  readonly admission: Admission;
  readonly limits: ServeLimits;
  readonly metrics: ServeMetrics;
  /** Whether documents can be changed by whoever may. */
  readonly writable: boolean;
  readonly auth: 'none' | 'required';
}

/** Whose work it is, and how much. */
export interface WorkOn {
  reply: FastifyReply;
  /** How many queries, texts or documents it is about. */
  size: number;
}

/** Work on one version of the index, in its turn; the signal says when it is not wanted any more. */
export function workOn<T>(
  { admission, index }: ServeContext,
  { reply, size }: WorkOn,
  work: (searcher: Searcher, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = goneSignal(reply);
  return admission.run((unwanted) => index.use((searcher) => work(searcher, unwanted)), { signal, size });
}

/** Aborted when the client goes away before its answer. (A request's own `close` comes as soon as it is read.) */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
