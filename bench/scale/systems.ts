import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Index, MetricKind, type ScalarKind } from 'usearch';
import {
  type BuildVectorIndexOptions,
  openVectorIndex,
  writeVectorIndex,
} from '../../src/index/vectors/index.js';
import { VectorFile } from '../../src/model/index.js';
import { qdrant } from './qdrant.js';
import { readAll } from './truth.js';

const BLOCK = 8192;

export interface Subject {
  build(vectors: string, folder: string): Promise<void>;
  /** Opens the index and gives a function that finds k ids of each query. */
  open(folder: string, dimension: number): Promise<(queries: Float32Array, k: number) => Promise<number[][]>>;
  /** Processor time of what was started besides, so far. */
  serverCpuSeconds?(): number;
  /** Ends what was started, and tells the most memory that it had, where it is a process of its own. */
  close?(): Promise<{ serverRssMb: number }>;
}

/** One of ours, as the library builds and opens it. */
function ours(
  options: Partial<BuildVectorIndexOptions>,
  { access = 'memory', efSearch }: { access?: 'memory' | 'disk'; efSearch?: number } = {},
): Subject {
  return {
    async build(vectors, folder) {
      const file = await VectorFile.open(vectors);
      await writeVectorIndex(folder, file.blocks(BLOCK), { dimension: file.dimension, ...options });
      await file.close();
    },
    async open(folder) {
      const index = await openVectorIndex(folder, { access });
      return async (queries, k) => {
        const { ids } = await index.search(queries, { k, efSearch });
        return Array.from({ length: ids.length / k }, (_, i) => [...ids.subarray(i * k, (i + 1) * k)]);
      };
    },
  };
}

/** The library alone, with its own defaults of effort. */
function usearch(
  quantization: string,
  { connectivity = 16, expansionAdd = 128, expansionSearch = 64 }: GraphEffort,
): Subject {
  const create = (dimensions: number): Index =>
    new Index({
      dimensions,
      metric: MetricKind.IP,
      quantization: quantization as ScalarKind,
      connectivity,
      expansion_add: expansionAdd,
      expansion_search: expansionSearch,
      multi: false,
    });
  return {
    async build(vectors, folder) {
      const file = await VectorFile.open(vectors);
      const index = create(file.dimension);
      let first = 0;
      for await (const block of file.blocks(BLOCK)) {
        const keys = BigUint64Array.from({ length: block.length / file.dimension }, (_, i) =>
          BigInt(first + i),
        );
        index.add(keys, block, availableParallelism());
        first += keys.length;
      }
      mkdirSync(folder, { recursive: true });
      index.save(join(folder, 'graph.usearch'));
      await file.close();
    },
    async open(folder, dimension) {
      const index = create(dimension);
      index.view(join(folder, 'graph.usearch'));
      return async (queries, k) => {
        const { keys } = index.search(queries, k, availableParallelism());
        return Array.from({ length: keys.length / k }, (_, i) =>
          Array.from(keys.subarray(i * k, (i + 1) * k), Number),
        );
      };
    },
  };
}

/** How much is done for a graph, where it is not the system's own default. */
export interface GraphEffort {
  /** Links of a vector; twice as many in the lowest layer. */
  connectivity?: number;
  /** Vectors looked at where one is added, and where one is searched. */
  expansionAdd?: number;
  expansionSearch?: number;
}

export const SYSTEMS = {
  flat: () => ours({ type: 'flat' }),
  int8: () => ours({ type: 'int8' }),
  'int8-disk': () => ours({ type: 'int8' }, { access: 'disk' }),
  binary: () => ours({ type: 'binary' }),
  'hnsw-i8': ({ connectivity, expansionAdd: efConstruction, expansionSearch: efSearch }) =>
    ours({ type: 'hnsw', storage: 'i8', connectivity, efConstruction }, { efSearch }),
  'usearch-i8': (effort) => usearch('i8', effort),
  'usearch-f16': (effort) => usearch('f16', effort),
  'qdrant-int8': (effort) => qdrant({ quantization: 'int8' }, effort),
} satisfies Record<string, (effort: GraphEffort) => Subject>;
export type SystemName = keyof typeof SYSTEMS;
/** Those with a graph, which {@link GraphEffort} is for. */
export const GRAPHS: readonly string[] = ['hnsw-i8', 'usearch-i8', 'usearch-f16', 'qdrant-int8'];

export interface MeasureOptions {
  vectors: string;
  queries: string;
  folder: string;
  k: number;
  seconds: number;
  effort: GraphEffort;
}

/** Builds or searches with one system in this process. */
export async function measureSystem(
  name: SystemName,
  step: 'build' | 'search',
  { vectors, queries, folder, k, seconds, effort }: MeasureOptions,
): Promise<Record<string, unknown>> {
  const subject: Subject = SYSTEMS[name](effort);
  const started = performance.now();
  if (step === 'build') {
    await subject.build(vectors, folder);
    const seconds = round((performance.now() - started) / 1000);
    return {
      seconds,
      cpuSeconds: round(cpuSeconds(subject)),
      peakRssMb: peak(),
      ...(await subject.close?.()),
    };
  }
  const file = await VectorFile.open(queries);
  const { dimension, rows } = file;
  await file.close();
  const all = await readAll(queries);
  const search = await subject.open(folder, dimension);
  const ids = await search(all, k);
  let [done, start] = [0, performance.now()];
  const before = cpuSeconds(subject);
  while (performance.now() - start < 1000 * seconds) {
    await search(all, k);
    done += rows;
  }
  const qps = Math.round(done / ((performance.now() - start) / 1000));
  const cpuMs = round((1000 * (cpuSeconds(subject) - before)) / done);
  const single = Math.min(rows, 100);
  start = performance.now();
  for (let i = 0; i < single; i++) await search(all.slice(i * dimension, (i + 1) * dimension), k);
  const oneMs = round((performance.now() - start) / single);
  return { ids, qps, cpuMs, oneMs, peakRssMb: peak(), ...(await subject.close?.()) };
}

function peak(): number {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}

/** Of all threads so far, a server's among them: what a busy machine changes least. */
function cpuSeconds(subject: Subject): number {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return (userCPUTime + systemCPUTime) / 1e6 + (subject.serverCpuSeconds?.() ?? 0);
}

function round(value: number): number {
  return Number(value.toFixed(2));
}
