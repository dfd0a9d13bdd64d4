/**
 * Attacks a running `nearmiss serve` with generated filters, sizes and cancellations from several clients at once, and
 * watches how long `/v1/health` and an ordinary search take meanwhile. One JSON line on stdout; `idle…` is what health
 * takes at the same server before, when nobody else asks, and `named` are the attacks of the issue one by one.
 *
 *   npm run bench:fuzz -- [--seconds 60] [--clients 16] [--seed 1] [--docs 5000] [--url http://127.0.0.1:8080]
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { formatTable } from '../src/base/table.js';
import { Random } from '../src/engine/random.js';
import { type Attack, attack, randomAttack } from './serve/attacks.js';
import { type HealthResult, watchHealth } from './serve/health-watch.js';
import { firstAnswer, startServer } from './serve/server-process.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    clients: { type: 'string', default: '16' },
    seed: { type: 'string', default: '1' },
    docs: { type: 'string', default: '5000' },
    url: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
let searchesFailed = 0;
const WORDS = 'anemia iron heart lung blood vein kidney liver brain nerve bone muscle skin eye'.split(' ');

interface NamedAttack extends Attack {
  times: number;
  atOnce: number;
}

/** What was found once, as it was found. */
const NAMED: Record<string, NamedAttack> = {
  '8 MB in $in': named(400, { filter: { topic: { $in: ['x'.repeat(8_000_000)] } } }),
  '$or of 20,000': named(4, { filter: { $or: manyConditions(20_000) } }),
  '$or of 200,000': named(2, { filter: { $or: manyConditions(200_000) } }),
  '$or of 1,000': named(64, { filter: { $or: manyConditions(1000) } }),
  '128 abandoned batches': {
    ...named(128, { queries: Array.from({ length: 200 }, (_, i) => `iron lung ${i}`), query: undefined }),
    leaveAfterMs: 50,
  },
};

function named(times: number, search: object): NamedAttack {
  const body = JSON.stringify({ query: 'iron', mode: 'dense', ...search });
  return { times, atOnce: body.length > 1e6 ? 4 : 128, name: 'named', path: '/v1/search', body };
}

function manyConditions(n: number): object[] {
  return Array.from({ length: n }, (_, i) => ({ n: { $gt: 9e9 + i } }));
}

const folder = await mkdtemp(join(tmpdir(), 'nearmiss-fuzz-'));
const server = values.url === undefined ? await serveSmall() : undefined;
const url = values.url ?? server!.url;
try {
  console.log(JSON.stringify(await measure()));
} finally {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}

async function serveSmall(): ReturnType<typeof startServer> {
  const line = (_: unknown, i: number): string => {
    const text = Array.from({ length: 12 }, (_, j) => WORDS[(i * 7 + j * j * 3 + (i % 13)) % WORDS.length]);
    const metadata = { year: 1990 + (i % 30), topic: WORDS[i % WORDS.length], n: i };
    return `${JSON.stringify({ _id: `d${i}`, text: text.join(' '), metadata })}\n`;
  };
  await writeFile(join(folder, 'corpus.jsonl'), Array.from({ length: Number(values.docs) }, line).join(''));
  const started = await startServer(join(folder, 'corpus.jsonl'), ['--model', 'minilm']);
  await firstAnswer(started);
  return started;
}

async function measure(): Promise<object> {
  const waits: number[] = [];
  const idle = await during(() => sleep(5000));
  process.stderr.write(table({ idle }));
  const named: Record<string, object> = {};
  for (const [name, { times, atOnce, ...each }] of Object.entries(NAMED)) {
    const health = await during(async () => {
      for (let done = 0; done < times; done += atOnce) {
        await Promise.all(Array.from({ length: Math.min(atOnce, times - done) }, () => attack(url, each)));
      }
      waits.push(await ordinarySearch());
    });
    named[name] = short(health);
    process.stderr.write(table({ [name]: health }));
  }
  const counts: Record<string, number> = {};
  const statuses: Record<string, number> = {};
  const health = await during(async () => {
    const end = performance.now() + 1000 * seconds;
    const client = async (_: unknown, i: number): Promise<void> => {
      const random = Random.from(Number(values.seed), 'fuzz', i);
      while (performance.now() < end) {
        const next = randomAttack(random);
        const status = await attack(url, next);
        counts[next.name] = (counts[next.name] ?? 0) + 1;
        const place = status === 0 && next.leaveAfterMs === undefined ? 'broken' : String(status);
        statuses[place] = (statuses[place] ?? 0) + 1;
      }
    };
    const person = async (): Promise<void> => {
      while (performance.now() < end) waits.push(await ordinarySearch());
    };
    await Promise.all([...Array.from({ length: Number(values.clients) }, client), person()]);
  });
  const sorted = waits.sort((a, b) => a - b);
  process.stderr.write(table({ fuzzed: health }));
  process.stderr.write(`attacks ${JSON.stringify(counts)}\n`);
  return {
    attacks: Object.values(counts).reduce((sum, n) => sum + n),
    statuses,
    idle: short(idle),
    health: short(health),
    searchP50Ms: Math.round(sorted[Math.floor(sorted.length / 2)]),
    searchMaxMs: Math.round(sorted.at(-1)!),
    searchesFailed,
    rssMb: server && Math.round(await server.rssMb()),
    named,
  };
}

async function during(work: () => Promise<unknown>): Promise<HealthResult> {
  const watch = watchHealth(url);
  await work();
  return watch.stop();
}

/** What a person waits for one search in the middle of all this. */
async function ordinarySearch(): Promise<number> {
  const start = performance.now();
  const body = JSON.stringify({ query: `iron ${Math.round(start)}`, mode: 'hybrid' });
  const status = await attack(url, { name: 'ordinary', path: '/v1/search', body });
  if (status !== 200) searchesFailed++;
  return performance.now() - start;
}

function short({ failed, p50Ms, p99Ms, maxMs }: HealthResult): object {
  return { failed, p50Ms: Math.round(p50Ms), p99Ms: Math.round(p99Ms), maxMs: Math.round(maxMs) };
}

function table(results: Record<string, HealthResult>): string {
  const header = ['health', 'asked', 'failed', 'p50 ms', 'p99 ms', 'max ms'];
  const rows = Object.entries(results).map(([name, { asked, failed, p50Ms, p99Ms, maxMs }]) => [
    ...[name, String(asked), String(failed), p50Ms.toFixed(1), p99Ms.toFixed(1), maxMs.toFixed(1)],
  ]);
  return formatTable({ header, rows, numeric: header.map((_, i) => i > 0) });
}
