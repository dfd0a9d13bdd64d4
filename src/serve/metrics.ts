import type { FastifyInstance } from 'fastify';
import type { Admission } from './admission.js';
import type { Measurements, ObservedIndex } from './measurements.js';

/** Until a server has been up for so long, nobody waits for it to measure itself. */
const LOAD_AFTER_MS = 2000;

export type ReloadOutcome = 'changed' | 'unchanged' | 'failed';

/**
 * Counts and times what a server does. The library that keeps the figures takes as long to load as a worker thread, so
 * it is imported a little later or when they are asked for; what happened before is told then.
 */
export class ServeMetrics {
  readonly #admission: Admission;
  readonly #indexes = new Map<string, ObservedIndex>();
  readonly #early: ((measurements: Measurements) => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  #loading: Promise<Measurements> | undefined;
  #measurements: Measurements | undefined;

  constructor({ admission }: { admission: Admission }) {
    this.#admission = admission;
    this.#timer = setTimeout(() => this.#load(), LOAD_AFTER_MS).unref();
  }

  /** Tells of an index from now on. */
  observeIndex(collection: string, index: ObservedIndex): void {
    this.#indexes.set(collection, index);
  }

  /** Counts and times every request of a server. */
  observeRequests(app: FastifyInstance): void {
    app.addHook('onResponse', async (request, reply) => {
      // Paths that lead nowhere must not become a label each.
      const route = request.routeOptions.url ?? 'none';
      const { method } = request;
      const { statusCode: status, elapsedTime } = reply;
      this.#tell(({ requests, latency }) => {
        requests.inc({ method, route, status });
        latency.observe({ method, route }, elapsedTime / 1000);
      });
    });
  }

  observeSearch(mode: string, milliseconds: number): void {
    this.#tell(({ searches }) => searches.observe({ mode }, milliseconds / 1000));
  }

  observeBatch(kind: 'queries' | 'embeddings' | 'rerank' | 'documents', size: number): void {
    this.#tell(({ texts }) => texts.observe({ kind }, size));
  }

  countReload(outcome: ReloadOutcome): void {
    this.#tell(({ reloads }) => reloads.inc({ outcome }));
  }

  /** What a monitoring system is told, in Prometheus' text format. */
  async text(): Promise<{ contentType: string; text: string }> {
    const { registry } = await this.#load();
    return { contentType: registry.contentType, text: await registry.metrics() };
  }

  /** Lets go of what was measured. */
  close(): void {
    clearTimeout(this.#timer);
    this.#measurements?.registry.clear();
  }

  #tell(what: (measurements: Measurements) => void): void {
    if (this.#measurements === undefined) this.#early.push(what);
    else what(this.#measurements);
  }

  #load(): Promise<Measurements> {
    this.#loading ??= import('./measurements.js').then(({ createMeasurements }) => {
      const measurements = createMeasurements({ admission: this.#admission, indexes: this.#indexes });
      for (const tell of this.#early.splice(0)) tell(measurements);
      this.#measurements = measurements;
      return measurements;
    });
    return this.#loading;
  }
}
