/**
 * `nearmiss serve` under load from this process, over loopback. Table on stderr, one JSON line on stdout:
 * `denseP50Ms` and `cascadeP50Ms` with one client, `denseP99Ms` and the queries/s with the most; `cascadeOverDense` is
 * what a query costs with the cascade over 100 candidates against dense alone; `mixedP50Ms` and `mixedP99Ms` of the
 * minutes under steady load from 64 clients that mix modes, batches of 16 and requests they do not wait for;
 * `rssGrowthMb` from its second tenth to the last. No two queries are alike, so the cache of query vectors does not help; it
 * is filled before memory is watched, because it grows by design.
 *
 *   npm run bench:serve                                  medquad encoded by minilm (once, kept in the temporary folder)
 *   npm run bench:serve -- runs/medquad --data data/medquad
 *   npm run bench:serve -- --minutes 0 --seconds 2 --sample 500
 */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { exists, writeDirectoryAtomic } from '../src/base/files.js';
import { formatTable } from '../src/base/table.js';
import { createCrossEncoder, loadEncoderModel, saveCrossEncoder } from '../src/model/index.js';
import { type LoadRequest, type LoadResult, load } from './serve/load.js';
import { firstAnswer, type ServerProcess, startServer } from './serve/server-process.js';

const MEDQUAD = resolve(import.meta.dirname, '../../shared/data/medquad');
const STEADY_CLIENTS = 64;
/** What steady load is made of, in turns: of nine, two are batches and one is left before its answer. */
const MIX = ['dense', 'bm25', 'hybrid', 'batch bm25', 'dense', 'bm25', 'left', 'hybrid', 'batch dense'];
const QUERIES_A_BATCH = 16;
const LEAVE_AFTER_MS = 20;
/** The cache holds 32 MiB: 20,000 vectors of MiniLM and their texts. */
const QUERIES_TO_FILL_CACHE = 22_000;
const QUERIES_AT_ONCE = 100;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    model: { type: 'string' },
    reranker: { type: 'string' },
    clients: { type: 'string', default: '1,8,64' },
    seconds: { type: 'string', default: '10' },
    minutes: { type: 'string', default: '10' },
    sample: { type: 'string', default: '0' },
  },
});
const seconds = Number(values.seconds);
const clientCounts = values.clients.split(',').map(Number);
const cache = join(tmpdir(), 'nearmiss-bench-serve');
let counter = 0;

const target = positionals[0] ?? (await medquad(Number(values.sample)));
const queries = await readQueries(values.data ?? target);
const server = await startServer(target, [
  ...(values.data ? ['--data', values.data] : []),
  ...(positionals[0] && !values.model ? [] : ['--model', values.model ?? 'minilm']),
  ...[
    '--reranker',
    values.reranker ?? (await untrainedReranker()),
    '--rerank-depth',
    '100',
    '--timeout',
    '600',
  ],
]);
try {
  process.stderr.write(`first answer ${(await firstAnswer(server)).toFixed(2)} s after the start\n`);
  console.log(JSON.stringify(await measure(server)));
} finally {
  await server.stop();
}

async function measure({ url, rssMb }: ServerProcess): Promise<Record<string, number>> {
  const { documents } = (await fetch(`${url}/v1/info`).then((response) => response.json())) as {
    documents: number;
  };
  const results: { mode: string; clients: number; result: LoadResult }[] = [];
  const run = async (mode: string, clients: number): Promise<LoadResult> => {
    const result = await load({ url, requests: searches(mode), clients, seconds });
    results.push({ mode, clients, result });
    return result;
  };
  const best: Record<string, LoadResult[]> = {};
  for (const mode of ['dense', 'bm25', 'hybrid']) {
    best[mode] = [];
    for (const clients of clientCounts) best[mode].push(await run(mode, clients));
  }
  const cascade = await run('cascade', 1);
  process.stderr.write(tableOf(results));
  const { failed, growthMb, p50Ms, p99Ms } = await steadyLoad(url, rssMb);
  const [alone, crowded] = [best.dense[0], best.dense.at(-1)!];
  return {
    docs: documents,
    denseP50Ms: round(alone.p50Ms),
    denseP99Ms: round(crowded.p99Ms),
    denseQps: round(crowded.qps),
    bm25Qps: round(best.bm25.at(-1)!.qps),
    hybridQps: round(best.hybrid.at(-1)!.qps),
    cascadeP50Ms: round(cascade.p50Ms),
    cascadeOverDense: round(cascade.p50Ms / alone.p50Ms),
    failed: failed + results.reduce((sum, { result }) => sum + result.failed, 0),
    mixedP50Ms: round(p50Ms),
    mixedP99Ms: round(p99Ms),
    rssGrowthMb: round(growthMb),
  };
}

/** Searches for minutes on end and watches the server's memory. */
async function steadyLoad(
  url: string,
  rssMb: () => Promise<number>,
): Promise<{ failed: number; growthMb: number; p50Ms: number; p99Ms: number }> {
  const total = Number(values.minutes) * 60;
  if (total === 0) return { failed: 0, growthMb: 0, p50Ms: 0, p99Ms: 0 };
  await fillCache(url);
  const samples: number[] = [];
  let going = true;
  const watching = (async () => {
    while (going) {
      samples.push(await rssMb());
      await sleep((total * 1000) / 100);
    }
  })();
  const { failed, p50Ms, p99Ms } = await load({
    ...{ url, requests: mixed(), clients: STEADY_CLIENTS, seconds: total },
  });
  going = false;
  await watching;
  const tenth = Math.max(1, Math.floor(samples.length / 10));
  const tenths = Array.from({ length: 10 }, (_, i) => median(samples.slice(i * tenth, (i + 1) * tenth)));
  const course = tenths.map((mb) => mb.toFixed(0)).join(' ');
  process.stderr.write(`resident memory by tenths of ${values.minutes} minutes: ${course} MB\n`);
  return { failed, growthMb: tenths[9] - tenths[1], p50Ms, p99Ms };
}

async function fillCache(url: string): Promise<void> {
  for (let asked = 0; asked < QUERIES_TO_FILL_CACHE; asked += QUERIES_AT_ONCE) {
    const body = { queries: Array.from({ length: QUERIES_AT_ONCE }, nextQuery), mode: 'dense', k: 1 };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/v1/search`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`filling the cache: ${await answer.text()}`);
    await answer.arrayBuffer();
  }
}

function* searches(mode: string): Generator<LoadRequest, LoadRequest> {
  for (;;) yield { body: JSON.stringify({ query: nextQuery(), mode, k: 10 }) };
}

function* mixed(): Generator<LoadRequest, LoadRequest> {
  for (let i = 0; ; i++) {
    const [kind, mode = kind] = MIX[i % MIX.length].split(' ');
    if (kind === 'batch') {
      const queries = Array.from({ length: QUERIES_A_BATCH }, nextQuery);
      yield { body: JSON.stringify({ queries, mode, k: 10 }) };
    } else if (kind === 'left') {
      const body = JSON.stringify({ query: nextQuery(), mode: 'hybrid', k: 10 });
      yield { body, leaveAfterMs: LEAVE_AFTER_MS };
    } else {
      yield { body: JSON.stringify({ query: nextQuery(), mode, k: 10 }) };
    }
  }
}

function nextQuery(): string {
  return `${queries[counter % queries.length]} ${counter++}`;
}

/** A copy of medquad (or of its first documents), because what is made of a collection is kept beside it. */
async function medquad(sample: number): Promise<string> {
  const folder = join(cache, sample === 0 ? 'medquad' : `medquad-${sample}`);
  if (await exists(folder)) return folder;
  if (!(await exists(MEDQUAD))) throw new Error('medquad is not there: name what to serve');
  const lines = (await readFile(join(MEDQUAD, 'corpus.jsonl'), 'utf8')).trimEnd().split('\n');
  await writeDirectoryAtomic(folder, async (temporary) => {
    await cp(join(MEDQUAD, 'queries.jsonl'), join(temporary, 'queries.jsonl'));
    await writeFile(
      join(temporary, 'corpus.jsonl'),
      `${lines.slice(0, sample || lines.length).join('\n')}\n`,
    );
  });
  return folder;
}

/** What a cross-encoder costs does not depend on what it has learned. */
async function untrainedReranker(): Promise<string> {
  const folder = join(cache, 'reranker');
  if (!(await exists(folder))) {
    await saveCrossEncoder(folder, createCrossEncoder(await loadEncoderModel('minilm'), { seed: 42 }));
  }
  return folder;
}

async function readQueries(folder: string): Promise<string[]> {
  const lines = (await readFile(join(folder, 'queries.jsonl'), 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line).text as string);
}

function tableOf(results: { mode: string; clients: number; result: LoadResult }[]): string {
  const rows = results.map(({ mode, clients, result }) => [
    mode,
    String(clients),
    result.p50Ms.toFixed(1),
    result.p99Ms.toFixed(1),
    (result.p99Ms / result.p50Ms).toFixed(1),
    result.qps.toFixed(1),
    String(result.failed),
  ]);
  const header = ['mode', 'clients', 'p50 ms', 'p99 ms', 'p99/p50', 'queries/s', 'failed'];
  return formatTable({ header, rows, numeric: header.map((_, i) => i > 0) });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
