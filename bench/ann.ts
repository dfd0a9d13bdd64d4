/**
 * Vector search over clustered unit vectors: exact (flat) and approximate (hnsw). The keys that begin with `raw` are
 * the same work done by the bare libraries in the same run, alternating, since a shared machine makes the figures of
 * different runs incomparable. One JSON line a size, each in a process of its own.
 *
 *   npm run bench:ann
 *   npm run bench:ann -- --sizes 10000,100000,1000000 --skip-raw
 *   npm run bench:ann -- --sizes 1000000 --skip-hnsw
 *   npm run bench:ann -- --storage f16 --k 10
 *   npm run bench:ann -- --cluster-size 100              harder: half of the top 200 lie outside the query's own cluster
 *
 * Hnsw searches with the least effort (`efSearch`) that finds `LEAST_RECALL`, since speeds at different recall do not
 * compare; --ef sets it.
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { Index, MetricKind, type ScalarKind } from 'usearch';
import { OnnxBuilder } from '../src/engine/onnx/builder.js';
import {
  createVectorIndex,
  type SearchResult,
  type VectorIndex,
  type VectorStorage,
} from '../src/index/vectors/index.js';
import { clusteredVectors } from '../src/index/vectors/vectors.fixture.js';

const SEED = 42;
const ROUNDS = 5;
const ADD_ROWS = 10_000;
const LEAST_RECALL = 0.9;
/** What is tried, in vectors kept for each one wanted. */
const EFFORTS = [1, 1.25, 1.5, 2, 2.5];
/** Rows a product: of the sizes tried, the one with which ONNX's TopK is fastest. */
const RAW_BLOCK_ROWS = 50_000;

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100000' },
    dim: { type: 'string', default: '128' },
    k: { type: 'string', default: '200' },
    queries: { type: 'string', default: '512' },
    storage: { type: 'string', default: 'f32' },
    ef: { type: 'string' },
    'cluster-size': { type: 'string', default: '1000' },
    'skip-raw': { type: 'boolean', default: false },
    'skip-hnsw': { type: 'boolean', default: false },
  },
});
const [dim, k, queryCount] = [values.dim, values.k, values.queries].map(Number);
const efforts =
  values.ef === undefined ? EFFORTS.map((effort) => Math.ceil(effort * k)) : [Number(values.ef)];
const clusterSize = Number(values['cluster-size']);
const storage = values.storage as VectorStorage;

const sizes = values.sizes.split(',');
if (sizes.length === 1) console.log(JSON.stringify(await benchmark(Number(sizes[0]))));
else {
  const rest = process.argv.slice(2).filter((_, i, all) => all[i] !== '--sizes' && all[i - 1] !== '--sizes');
  for (const size of sizes) {
    const args = [...process.execArgv, import.meta.filename, ...rest, '--sizes', size];
    execFileSync(process.execPath, args, { stdio: 'inherit' });
  }
}

async function benchmark(n: number): Promise<Record<string, number | string>> {
  const options = { dimension: dim, clusters: Math.ceil(n / clusterSize), seed: SEED };
  const vectors = clusteredVectors({ ...options, count: n, part: 'vectors' });
  const queries = clusteredVectors({ ...options, count: queryCount, part: 'queries' });
  const withRaw = !values['skip-raw'];

  const flat = await build('flat', vectors);
  const exact = await flat.index.search(queries, { k });
  const work: Record<string, () => Promise<unknown>> = { flatQps: () => flat.index.search(queries, { k }) };
  const facts: Record<string, number> = {};
  if (!values['skip-hnsw']) {
    const hnsw = await build('hnsw', vectors);
    const { efSearch, recall } = await leastEffort(hnsw.index, queries, exact);
    work.hnswQps = () => hnsw.index.search(queries, { k, efSearch });
    facts.hnswBuildSeconds = round(hnsw.seconds, 1);
    facts.hnswRecall = round(recall, 4);
    facts.efSearch = efSearch;
  }
  facts.peakRssMb = Math.round(process.resourceUsage().maxRSS / 1024);

  if (withRaw) work.rawFlatQps = await rawFlat(vectors, queries);
  if (withRaw && !values['skip-hnsw']) {
    const raw = rawHnsw(vectors);
    work.rawHnswQps = async () => raw.index.search(queries, facts.efSearch, 0);
    facts.rawHnswBuildSeconds = round(raw.seconds, 1);
  }
  return { bench: 'ann', n, dim, k, queries: queryCount, storage, ...facts, ...(await fastest(work)) };
}

async function leastEffort(index: VectorIndex, queries: Float32Array, exact: SearchResult) {
  let best = { efSearch: 0, recall: 0 };
  for (const efSearch of efforts) {
    best = { efSearch, recall: overlap(await index.search(queries, { k, efSearch }), exact) };
    if (best.recall >= LEAST_RECALL) break;
  }
  return best;
}

async function build(type: 'flat' | 'hnsw', vectors: Float32Array) {
  const start = performance.now();
  const builder = createVectorIndex({
    type,
    dimension: dim,
    storage: type === 'flat' && storage === 'i8' ? 'f32' : storage,
  });
  const step = ADD_ROWS * dim;
  for (let i = 0; i < vectors.length; i += step) await builder.add(vectors.subarray(i, i + step));
  const index = await builder.finish();
  return { index, seconds: (performance.now() - start) / 1000 };
}

/** Queries a second of the fastest of some rounds, in which every kind of work has its turn. */
async function fastest(work: Record<string, () => Promise<unknown>>): Promise<Record<string, number>> {
  const best: Record<string, number> = {};
  for (let i = 0; i < ROUNDS; i++) {
    for (const [name, run] of Object.entries(work)) {
      const start = performance.now();
      await run();
      const speed = Math.round((queryCount * 1000) / (performance.now() - start));
      best[name] = Math.max(best[name] ?? 0, speed);
    }
  }
  return best;
}

/** A product and ONNX's TopK for each block; the blocks' results are not even merged. */
async function rawFlat(vectors: Float32Array, queries: Float32Array): Promise<() => Promise<void>> {
  const onnx = new OnnxBuilder({
    sourceOfDim: () => {
      throw new Error('no dimension is looked up');
    },
  });
  onnx.node({ type: 'Gemm', inputs: ['q', 'x'], outputs: ['s'], attributes: { transB: 1 } });
  const kept = onnx.integers([Math.min(k, vectors.length / dim)]);
  onnx.node({ type: 'TopK', inputs: ['s', kept], outputs: ['scores', 'ids'] });
  const model = onnx.finish(
    'raw',
    [
      { name: 'q', shape: ['queries', dim], dtype: 'float32' },
      { name: 'x', shape: ['rows', dim], dtype: 'float32' },
    ],
    [
      { name: 'scores', shape: ['queries', 'k'], dtype: 'float32' },
      { name: 'ids', shape: ['queries', 'k'], dtype: 'int64' },
    ],
  );
  const session = await InferenceSession.create(model, { logSeverityLevel: 3 });
  const q = new Tensor('float32', queries as Float32Array<ArrayBuffer>, [queryCount, dim]);
  return async () => {
    for (let i = 0; i < vectors.length; i += RAW_BLOCK_ROWS * dim) {
      const block = vectors.subarray(i, i + RAW_BLOCK_ROWS * dim);
      const x = new Tensor('float32', block as Float32Array<ArrayBuffer>, [block.length / dim, dim]);
      await session.run({ q, x });
    }
  };
}

function rawHnsw(vectors: Float32Array): { index: Index; seconds: number } {
  const start = performance.now();
  const index = new Index({
    dimensions: dim,
    metric: MetricKind.IP,
    quantization: storage as ScalarKind,
    connectivity: 16,
    expansion_add: 128,
    expansion_search: 64,
    multi: false,
  });
  for (let row = 0; row * dim < vectors.length; row += ADD_ROWS) {
    const block = vectors.subarray(row * dim, (row + ADD_ROWS) * dim);
    const keys = BigUint64Array.from({ length: block.length / dim }, (_, i) => BigInt(row + i));
    index.add(keys, block, 0);
  }
  return { index, seconds: (performance.now() - start) / 1000 };
}

function overlap(found: SearchResult, truth: SearchResult): number {
  let common = 0;
  for (let row = 0; row < queryCount; row++) {
    const got = new Set(found.ids.subarray(row * k, (row + 1) * k));
    for (let i = row * k; i < (row + 1) * k; i++) if (got.has(truth.ids[i])) common++;
  }
  return common / (queryCount * k);
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
