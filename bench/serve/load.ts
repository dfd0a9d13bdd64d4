import { Agent } from 'node:http';
import { type Post, post } from './post.js';

/** A request to `/v1/search`; those whose client leaves are not measured. */
export type LoadRequest = Post;

export interface LoadOptions {
  url: string;
  /** One after another. */
  requests: Iterator<LoadRequest, LoadRequest>;
  /** Each sends its next request when the last was answered. */
  clients: number;
  seconds: number;
  /** Not measured. */
  warmUpSeconds?: number;
  /** Goes on for longer until so many are measured. */
  minRequests?: number;
}

export interface LoadResult {
  requests: number;
  /** Answered with anything but 200, or not at all. */
  failed: number;
  qps: number;
  p50Ms: number;
  p99Ms: number;
}

/** Searches as fast as so many clients can. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { clients, seconds, warmUpSeconds = 1, minRequests = 5 } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const times: number[] = [];
  let failed = 0;
  const begin = performance.now() + warmUpSeconds * 1000;
  const end = begin + seconds * 1000;
  const client = async (): Promise<void> => {
    while (performance.now() < end || times.length < minRequests) {
      const start = performance.now();
      const next = options.requests.next().value;
      const status = await post(`${options.url}/v1/search`, next, agent);
      if (next.leaveAfterMs !== undefined) continue;
      if (status !== 200) failed++;
      if (start >= begin) times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  const sorted = Float64Array.from(times).sort();
  const quantile = (q: number): number => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  const elapsed = (performance.now() - begin) / 1000;
  return {
    requests: times.length,
    failed,
    qps: times.length / elapsed,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
  };
}
