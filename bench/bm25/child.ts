import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Document } from '../../src/data/dataset.js';
import { createSystem, type SystemName } from './systems.js';

/** What one system did with one collection. */
export interface BenchResult {
  indexSeconds: number;
  qpsTop10: number;
  qpsTop1000: number;
  p50Ms: number;
  p99Ms: number;
  indexMb: number;
  peakRssMb: number;
  /** Ids of the first hits of some queries, to see that the systems find the same things. */
  sample: string[][];
}

/** Passes over the queries until this is spent; the fastest pass counts. */
const SECONDS_PER_DEPTH = 15;
const WARM_UP = 20;

/** A system that needs more processor time than this to index a collection has not finished it. */
const LIMIT_MS = 600_000;

/**
 * Milliseconds of processor time so far. All systems work in one thread, so on an idle machine this is the time on
 * the clock (waiting for the disk apart); on a busy one it stays what it would be on an idle one.
 */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const [name, corpus, queriesFile, folder] = process.argv.slice(2);
const queries = JSON.parse(readFileSync(queriesFile, 'utf8')) as string[];
const system = await createSystem(name as SystemName, folder);

let readingMs = 0;

/** The documents; the time it takes to read and parse them is taken off the indexing time. */
async function* documents(): AsyncGenerator<Document> {
  let asked = cpuMs();
  for await (const line of createInterface({ input: createReadStream(corpus) })) {
    if (cpuMs() > LIMIT_MS) throw new Error('not finished in ten minutes');
    const document = JSON.parse(line) as Document;
    readingMs += cpuMs() - asked;
    yield document;
    asked = cpuMs();
  }
  readingMs += cpuMs() - asked;
}

const started = cpuMs();
await system.index(documents());
const indexSeconds = (cpuMs() - started - readingMs) / 1000;

interface Pass {
  perSecond: number;
  latencies: number[];
}

function onePass(k: number, until: number): Pass {
  const latencies: number[] = [];
  for (const query of queries) {
    const before = cpuMs();
    system.search(query, k);
    const after = cpuMs();
    latencies.push(after - before);
    if (performance.now() > until) break;
  }
  return { perSecond: (1000 * latencies.length) / latencies.reduce((sum, ms) => sum + ms, 0), latencies };
}

function fastestPass(k: number): Pass {
  for (const query of queries.slice(0, WARM_UP)) system.search(query, k);
  const until = performance.now() + 1000 * SECONDS_PER_DEPTH;
  let best = onePass(k, until);
  while (performance.now() < until) {
    const pass = onePass(k, until);
    if (pass.latencies.length === queries.length && pass.perSecond > best.perSecond) best = pass;
  }
  return best;
}

const top10 = fastestPass(10);
const top1000 = fastestPass(1000);
const sorted = top10.latencies.sort((a, b) => a - b);
const result: BenchResult = {
  indexSeconds,
  qpsTop10: top10.perSecond,
  qpsTop1000: top1000.perSecond,
  p50Ms: sorted[Math.floor(sorted.length * 0.5)],
  p99Ms: sorted[Math.floor(sorted.length * 0.99)],
  indexMb: system.indexBytes() / 1e6,
  peakRssMb: process.resourceUsage().maxRSS / 1e3,
  sample: queries.slice(0, 20).map((query) => system.search(query, 10)),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
