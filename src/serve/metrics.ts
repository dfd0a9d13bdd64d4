import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Admission } from './admission.js';
import type { ServedIndex } from './collections/served-index.js';

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

export type ReloadOutcome = 'changed' | 'unchanged' | 'failed';

/** What a monitoring system is told, in Prometheus' text format. */
export class ServeMetrics {
  readonly registry = new Registry();
  readonly #requests: Counter<'method' | 'route' | 'status'>;
  readonly #latency: Histogram<'method' | 'route'>;
  readonly #searches: Histogram<'mode'>;
  readonly #texts: Histogram<'kind'>;
  readonly #reloads: Counter<'outcome'>;

  readonly #indexes = new Map<string, Pick<ServedIndex, 'version' | 'documents'>>();

  constructor({ admission }: { admission: Admission }) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#requests = new Counter({
      name: 'nearmiss_http_requests_total',
      help: 'Requests answered, by route and status.',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#latency = new Histogram({
      name: 'nearmiss_http_request_duration_seconds',
      help: 'Time from the first byte of a request to the last of its answer.',
      labelNames: ['method', 'route'],
      buckets: LATENCY_BUCKETS,
      registers,
    });
    this.#searches = new Histogram({
      name: 'nearmiss_search_duration_seconds',
      help: 'Time of a search by itself, by mode.',
      labelNames: ['mode'],
      buckets: LATENCY_BUCKETS,
      registers,
    });
    this.#texts = new Histogram({
      name: 'nearmiss_request_batch_size',
      help: 'Queries, texts or documents in one request.',
      labelNames: ['kind'],
      buckets: BATCH_BUCKETS,
      registers,
    });
    this.#reloads = new Counter({
      name: 'nearmiss_reloads_total',
      help: 'Looks for a newer index, by outcome.',
      labelNames: ['outcome'],
      registers,
    });
    gauge('nearmiss_requests_active', 'Requests being worked on.', () => admission.active);
    gauge('nearmiss_requests_waiting', 'Requests waiting for their turn.', () => admission.waiting);
    const indexes = this.#indexes;
    new Gauge({
      name: 'nearmiss_documents',
      help: 'Documents that can be found, by collection.',
      labelNames: ['collection'],
      registers,
      collect() {
        for (const [collection, { documents }] of indexes) this.set({ collection }, documents);
      },
    });
    new Gauge({
      name: 'nearmiss_index_info',
      help: 'The version of the index that answers, as a label.',
      labelNames: ['collection', 'version'],
      registers,
      collect() {
        this.reset();
        for (const [collection, { version }] of indexes) {
          if (version !== undefined) this.set({ collection, version }, 1);
        }
      },
    });

    function gauge(name: string, help: string, value: () => number): void {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(value());
        },
      });
    }
  }

  /** Tells of an index from now on. */
  observeIndex(collection: string, index: Pick<ServedIndex, 'version' | 'documents'>): void {
    this.#indexes.set(collection, index);
  }

  /** Counts and times every request of a server. */
  observeRequests(app: FastifyInstance): void {
    app.addHook('onResponse', async (request, reply) => {
      // Paths that lead nowhere must not become a label each.
      const route = request.routeOptions.url ?? 'none';
      this.#requests.inc({ method: request.method, route, status: reply.statusCode });
      this.#latency.observe({ method: request.method, route }, reply.elapsedTime / 1000);
    });
  }

  observeSearch(mode: string, milliseconds: number): void {
    this.#searches.observe({ mode }, milliseconds / 1000);
  }

  observeBatch(kind: 'queries' | 'embeddings' | 'rerank' | 'documents', size: number): void {
    this.#texts.observe({ kind }, size);
  }

  countReload(outcome: ReloadOutcome): void {
    this.#reloads.inc({ outcome });
  }

  /** Lets go of what was measured. */
  close(): void {
    this.registry.clear();
  }
}
