// How long it takes to write, read and evaluate a run of 10,000 queries × 1,000 hits, the size of MS MARCO dev.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../src/engine/random.js';
import { evaluate, type Ranking, type Run, readRun, writeRun } from '../src/evaluate/index.js';

const QUERIES = Number(process.argv[2] ?? 10_000);
const HITS = 1000;
const DOCUMENTS = 8_800_000;

const random = Random.from(1, 'bench');
const rankings = new Map<string, Ranking>();
const qrels = new Map<string, Map<string, number>>();
for (let q = 0; q < QUERIES; q++) {
  const ids = [...new Set(Array.from({ length: HITS }, () => String(random.integer(DOCUMENTS))))];
  rankings.set(String(q), { ids, scores: Float64Array.from(ids, () => random.uniform()) });
  qrels.set(String(q), new Map([[ids[random.integer(ids.length)], 1]]));
}
const run: Run = { tag: 'bench', rankings };

const seconds = async <T>(work: () => T | Promise<T>): Promise<[number, T]> => {
  const start = performance.now();
  const result = await work();
  return [Number(((performance.now() - start) / 1000).toFixed(2)), result];
};

const folder = await mkdtemp(join(tmpdir(), 'nearmiss-bench-'));
try {
  const path = join(folder, 'run.trec');
  const measures = ['nDCG@10', 'RR@10', 'AP', 'R@100', 'R@1000'];
  const [unsorted] = await seconds(() => evaluate(run, qrels, measures));
  const [write] = await seconds(() => writeRun(path, run));
  const { size } = await stat(path);
  const [read, back] = await seconds(() => readRun(path));
  const [sorted] = await seconds(() => evaluate(back, qrels, measures));
  const peak = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(
    JSON.stringify({
      bench: 'evaluate',
      queries: QUERIES,
      hits: HITS,
      megabytes: Math.round(size / 1e6),
      secondsToWrite: write,
      secondsToRead: read,
      secondsToEvaluateUnsorted: unsorted,
      secondsToEvaluateSorted: sorted,
      peakMegabytes: peak,
    }),
  );
} finally {
  await rm(folder, { recursive: true });
}
