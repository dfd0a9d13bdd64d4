import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Admission } from './admission.js';
import type { ServedIndex } from './collections/served-index.js';

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

export type ObservedIndex = Pick<ServedIndex, 'version' | 'documents'>;

/** The figures a server keeps of itself. */
export interface Measurements {
  readonly registry: Registry;
  readonly requests: Counter<'method' | 'route' | 'status'>;
  readonly latency: Histogram<'method' | 'route'>;
  readonly searches: Histogram<'mode'>;
  readonly texts: Histogram<'kind'>;
  readonly reloads: Counter<'outcome'>;
}

/** Those of the process, of the requests, and of the indexes by the names of their collections. */
export function createMeasurements({
  admission,
  indexes,
}: {
  admission: Admission;
  indexes: ReadonlyMap<string, ObservedIndex>;
}): Measurements {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'nearmiss_http_requests_total',
    help: 'Requests answered, by route and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const latency = new Histogram({
    name: 'nearmiss_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route'],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  const searches = new Histogram({
    name: 'nearmiss_search_duration_seconds',
    help: 'Time of a search by itself, by mode.',
    labelNames: ['mode'],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  const texts = new Histogram({
    name: 'nearmiss_request_batch_size',
    help: 'Queries, texts or documents in one request.',
    labelNames: ['kind'],
    buckets: BATCH_BUCKETS,
    registers,
  });
  const reloads = new Counter({
    name: 'nearmiss_reloads_total',
    help: 'Looks for a newer index, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  gauge('nearmiss_requests_active', 'Requests being worked on.', () => admission.active);
  gauge('nearmiss_requests_waiting', 'Requests waiting for their turn.', () => admission.waiting);
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
  return { registry, requests, latency, searches, texts, reloads };

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
