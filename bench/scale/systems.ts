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
  /** Ends what was started, and tells the most memory that it had, where it is a process of its own. */
  close?(): Promise<{ serverRssMb: number }>;
}

/** One of ours, as the library builds and opens it. */
function ours(options: Partial<BuildVectorIndexOptions>, access: 'memory' | 'disk' = 'memory'): Subject {
  return {
    async build(vectors, folder) {
      const file = await VectorFile.open(vectors);
      await writeVectorIndex(folder, file.blocks(BLOCK), { dimension: file.dimension, ...options });
      await file.close();
    },
    async open(folder) {
      const index = await openVectorIndex(folder, { access });
      return async (queries, k) => {
        const { ids } = await index.search(queries, { k });
        return Array.from({ length: ids.length / k }, (_, i) => [...ids.subarray(i * k, (i + 1) * k)]);
      };
    },
  };
}

/** The library alone, with its own defaults of effort. */
function usearch(quantization: string): Subject {
  const create = (dimensions: number): Index =>
    new Index({
      dimensions,
      metric: MetricKind.IP,
      quantization: quantization as ScalarKind,
      connectivity: 16,
      expansion_add: 128,
      expansion_search: 64,
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

export const SYSTEMS = {
  flat: ours({ type: 'flat' }),
  int8: ours({ type: 'int8' }),
  'int8-disk': ours({ type: 'int8' }, 'disk'),
  binary: ours({ type: 'binary' }),
  'hnsw-i8': ours({ type: 'hnsw', storage: 'i8' }),
  'usearch-i8': usearch('i8'),
  'usearch-f16': usearch('f16'),
  'qdrant-int8': qdrant({ quantization: 'int8' }),
} satisfies Record<string, Subject>;
export type SystemName = keyof typeof SYSTEMS;

export interface MeasureOptions {
  vectors: string;
  queries: string;
  folder: string;
  k: number;
  seconds: number;
}

/** Builds or searches with one system in this process. */
export async function measureSystem(
  name: SystemName,
  step: 'build' | 'search',
  { vectors, queries, folder, k, seconds }: MeasureOptions,
): Promise<Record<string, unknown>> {
  const subject: Subject = SYSTEMS[name];
  const started = performance.now();
  if (step === 'build') {
    await subject.build(vectors, folder);
    const seconds = round((performance.now() - started) / 1000);
    return { seconds, cpuSeconds: round(cpuSeconds()), peakRssMb: peak(), ...(await subject.close?.()) };
  }
  const file = await VectorFile.open(queries);
  const { dimension, rows } = file;
  await file.close();
  const all = await readAll(queries);
  const search = await subject.open(folder, dimension);
  const ids = await search(all, k);
  let [done, start] = [0, performance.now()];
  const before = cpuSeconds();
  while (performance.now() - start < 1000 * seconds) {
    await search(all, k);
    done += rows;
  }
  const qps = Math.round(done / ((performance.now() - start) / 1000));
  const cpuMs = round((1000 * (cpuSeconds() - before)) / done);
  const single = Math.min(rows, 100);
  start = performance.now();
  for (let i = 0; i < single; i++) await search(all.slice(i * dimension, (i + 1) * dimension), k);
  const oneMs = round((performance.now() - start) / single);
  return { ids, qps, cpuMs, oneMs, peakRssMb: peak(), ...(await subject.close?.()) };
}

function peak(): number {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}

/** Of all threads so far: what a busy machine does not change. */
function cpuSeconds(): number {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return (userCPUTime + systemCPUTime) / 1e6;
}

function round(value: number): number {
  return Number(value.toFixed(2));
}
