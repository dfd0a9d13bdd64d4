/**
 * BM25 against SQLite FTS5 and MiniSearch: the same documents, the same queries, one thread, each system in a process
 * of its own. One JSON line a size; ratios are ours over theirs, null where a system did not finish in ten minutes
 * of processor time. All times are processor time, so other work on the machine does not change them much.
 *
 *   npm run bench:bm25
 *   npm run bench:bm25 -- --sizes 5000,100000
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type { BenchResult } from './bm25/child.js';
import { hasCollections, sampleQueries, writeCollection } from './bm25/collection.js';
import type { SystemName } from './bm25/systems.js';

const SEED = 42;

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '5000,100000,1000000' },
    queries: { type: 'string', default: '1000' },
  },
});
const sizes = values.sizes.split(',').map(Number);

if (!hasCollections()) {
  process.stderr.write(
    'bench:bm25 is made of the collections in ../shared/data, which are not on this machine\n',
  );
  process.exit(0);
}

// Compiled at install, so not among the packages of the project itself.
if (!existsSync(join(import.meta.dirname, 'node_modules'))) {
  execFileSync('npm', ['ci', '--prefix', import.meta.dirname], { stdio: ['ignore', 2, 2] });
}

for (const size of sizes) {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-bench-'));
  try {
    process.stdout.write(`${JSON.stringify(await benchmark(size, folder))}\n`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function benchmark(size: number, folder: string) {
  const corpus = join(folder, 'corpus.jsonl');
  const queries = join(folder, 'queries.json');
  await writeCollection(corpus, size, SEED);
  await writeFile(queries, JSON.stringify(sampleQueries(Number(values.queries), SEED)));
  const run = (system: SystemName): Promise<BenchResult | null> => runChild(system, corpus, queries, folder);
  const ours = await run('nearmiss');
  if (ours === null) throw new Error(`nearmiss did not finish ${size} documents`);
  const fts5 = await run('fts5');
  const miniSearch = await run('minisearch');
  return {
    docs: size,
    indexDocsPerSecond: Math.round(size / ours.indexSeconds),
    qpsTop10: round(ours.qpsTop10),
    qpsTop1000: round(ours.qpsTop1000),
    p50Ms: round(ours.p50Ms),
    p99Ms: round(ours.p99Ms),
    indexMb: round(ours.indexMb),
    peakRssMb: Math.round(ours.peakRssMb),
    qpsRatioFts5: fts5 && round(ours.qpsTop10 / fts5.qpsTop10),
    qpsRatioMiniSearch: miniSearch && round(ours.qpsTop10 / miniSearch.qpsTop10),
    indexRatioFts5: fts5 && round(fts5.indexSeconds / ours.indexSeconds),
    indexRatioMiniSearch: miniSearch && round(miniSearch.indexSeconds / ours.indexSeconds),
  };
}

async function runChild(
  system: SystemName,
  corpus: string,
  queries: string,
  folder: string,
): Promise<BenchResult | null> {
  const script = join(import.meta.dirname, 'bm25/child.ts');
  const args = ['--max-old-space-size=12000', '--import', 'tsx', script, system, corpus, queries, folder];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { sample, ...result } = JSON.parse(stdout) as BenchResult;
    process.stderr.write(`${system}: ${JSON.stringify(result)}\n`);
    return { ...result, sample };
  } catch (error) {
    process.stderr.write(`${system}: ${error instanceof Error ? error.message : error}\n`);
    return null;
  }
}

/** Three significant digits. */
function round(value: number): number {
  return Number(value.toPrecision(3));
}
