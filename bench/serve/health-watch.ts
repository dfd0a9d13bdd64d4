import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface HealthResult {
  asked: number;
  /** Not answered, or not with 200. */
  failed: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

const EVERY_MS = 20;

/** Asks for `/v1/health` again and again, over a connection of its own, until it is told to stop. */
export function watchHealth(url: string): { stop(): Promise<HealthResult> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  let failed = 0;
  let isOn = true;
  const watching = (async () => {
    while (isOn) {
      const start = performance.now();
      if ((await get(`${url}/v1/health`, agent)) !== 200) failed++;
      times.push(performance.now() - start);
      await sleep(EVERY_MS);
    }
  })();
  return {
    async stop() {
      isOn = false;
      await watching;
      agent.destroy();
      const sorted = Float64Array.from(times).sort();
      const quantile = (q: number): number =>
        sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
      return {
        ...{ asked: times.length, failed },
        ...{ p50Ms: quantile(0.5), p99Ms: quantile(0.99), maxMs: sorted.at(-1)! },
      };
    },
  };
}

function get(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(url, { agent });
    sent.on('response', (response) => response.resume().once('end', () => resolve(response.statusCode ?? 0)));
    sent.once('error', () => resolve(0));
    sent.end();
  });
}
