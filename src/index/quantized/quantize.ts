import type { SessionOptions } from '../../engine/index.js';
import { Random } from '../../engine/random.js';
import { openAssigner, sphericalKMeans } from '../clusters/spherical-k-means.js';
import { decodeRows } from '../vectors/row-codec.js';
import {
  blocksInOrder,
  type RowFormat,
  type VectorBlock,
  type VectorBlocks,
} from '../vectors/vector-blocks.js';
import type { VectorCut } from '../vectors/vector-cut.js';
import { recordsPerPiece } from './code-store.js';
import { encodeRecord } from './codes.js';
import { ListTable } from './list-table.js';
import { type CodeKind, recordBytes } from './scan-kernel.js';

/** Vectors that decide where the centres are: so many for each list, within bounds. */
const SAMPLE_PER_LIST = 64;
const [LEAST_SAMPLE, MOST_SAMPLE] = [10_000, 262_144];
export const LIST_ROUNDS = 10;
const SEED = 1;
/** Up to so many vectors, all codes are compared with each query: lists would cost recall and gain little. */
const MOST_UNLISTED = 131_072;
/** Vectors decoded, cut and assigned at once. */
const CHUNK = 4096;

export interface QuantizeOptions {
  kind: CodeKind;
  format: RowFormat;
  cut: VectorCut;
  /** How many lists; 1 for none. Default {@link defaultLists}. */
  lists?: number;
  session?: SessionOptions;
}

export interface Quantized {
  table: ListTable;
  /** The id of each record; undefined where they are in the order of ids. */
  order?: Int32Array;
  /** All records in the order of lists, in pieces of {@link recordsPerPiece}. */
  pieces(): AsyncGenerator<Uint8Array>;
}

/** About the square root of the number of vectors, a power of two; 1 where there are few. */
export function defaultLists(count: number): number {
  return count <= MOST_UNLISTED ? 1 : 2 ** Math.round(Math.log2(count) / 2);
}

/** How many vectors decide where the centres of so many lists are. */
export function listSample(lists: number): number {
  return Math.min(MOST_SAMPLE, Math.max(LEAST_SAMPLE, lists * SAMPLE_PER_LIST));
}

/** Finds lists for vectors and codes them. Passes over them are made as needed; memory is bounded by a piece. */
export async function quantize(blocks: VectorBlocks, options: QuantizeOptions): Promise<Quantized> {
  const { cut } = options;
  const { count } = blocks;
  const lists = Math.max(1, Math.min(options.lists ?? defaultLists(count), count));
  const sample = await sampleRows(blocks, listSample(lists), options);
  if (lists === 1) {
    const table = new ListTable(meanOf(sample, cut.kept), Uint32Array.of(0, count), cut.kept);
    return { table, pieces: () => recordPieces(blocks, undefined, table, options) };
  }
  const { centres, assigned } = await assignLists(blocks, sample, lists, options);
  const { starts, order } = sortByList(assigned, lists);
  const table = new ListTable(centres, starts, cut.kept);
  return { table, order, pieces: () => recordPieces(blocks, assigned, table, options) };
}

/** Rows spread over all vectors: one by chance of each of so many equal parts. */
async function sampleRows(
  blocks: VectorBlocks,
  wanted: number,
  { format, cut }: QuantizeOptions,
): Promise<Float32Array> {
  const size = Math.min(blocks.count, wanted);
  const random = Random.from(SEED, 'sample of vectors');
  const ids = Float64Array.from({ length: size }, (_, i) =>
    Math.floor(((i + random.uniform()) * blocks.count) / size),
  );
  const sample = new Float32Array(size * cut.kept);
  const row = new Float32Array(cut.dimension);
  let next = 0;
  for await (const { data, rows, firstId } of blocksInOrder(blocks, format)) {
    for (; next < size && ids[next] < firstId + rows; next++) {
      const start = (ids[next] - firstId) * cut.dimension;
      decodeRows(data.subarray(start, start + cut.dimension), row);
      sample.set(cut.apply(row), next * cut.kept);
    }
  }
  return sample;
}

function meanOf(vectors: Float32Array, dimension: number): Float32Array {
  const mean = new Float32Array(dimension);
  const rows = vectors.length / dimension;
  for (let i = 0; i < vectors.length; i++) mean[i % dimension] += vectors[i] / rows;
  return mean;
}

/** Lists by direction; a centre is the mean of its list's vectors in the sample, which is nearest to them. */
async function assignLists(
  blocks: VectorBlocks,
  sample: Float32Array,
  lists: number,
  options: QuantizeOptions,
): Promise<{ centres: Float32Array; assigned: Int32Array }> {
  const { session, cut } = options;
  const dimension = cut.kept;
  const clusters = await sphericalKMeans(sample, {
    dimension,
    clusters: Math.min(lists, sample.length / dimension),
    seed: SEED,
    rounds: LIST_ROUNDS,
    session,
  });
  const centres = meansOf(sample, clusters.assigned, clusters.centroids.length / dimension, dimension);
  const assigned = new Int32Array(blocks.count);
  const assigner = await openAssigner(dimension, session);
  try {
    for await (const { vectors, firstId } of decodedChunks(blocksInOrder(blocks, options.format), options)) {
      assigned.set((await assigner.assign(vectors, clusters.centroids)).places, firstId);
    }
  } finally {
    await assigner.release();
  }
  return { centres, assigned };
}

function meansOf(
  vectors: Float32Array,
  assigned: Int32Array,
  lists: number,
  dimension: number,
): Float32Array {
  const means = new Float32Array(lists * dimension);
  const sizes = new Uint32Array(lists);
  assigned.forEach((list, row) => {
    sizes[list]++;
    for (let i = 0; i < dimension; i++) means[list * dimension + i] += vectors[row * dimension + i];
  });
  for (let i = 0; i < means.length; i++) means[i] /= Math.max(1, sizes[Math.floor(i / dimension)]);
  return means;
}

function sortByList(assigned: Int32Array, lists: number): { starts: Uint32Array; order: Int32Array } {
  const starts = new Uint32Array(lists + 1);
  for (const list of assigned) starts[list + 1]++;
  for (let list = 0; list < lists; list++) starts[list + 1] += starts[list];
  const next = starts.slice();
  const order = new Int32Array(assigned.length);
  for (let id = 0; id < assigned.length; id++) order[next[assigned[id]]++] = id;
  return { starts, order };
}

/** A pass over the vectors for each piece; without lists only over the vectors that it holds. */
async function* recordPieces(
  blocks: VectorBlocks,
  assigned: Int32Array | undefined,
  table: ListTable,
  options: QuantizeOptions,
): AsyncGenerator<Uint8Array> {
  const { kind, cut, format } = options;
  const { count } = blocks;
  const stride = recordBytes(kind, cut.kept);
  const perPiece = recordsPerPiece(stride);
  for (let first = 0; first < count; first += perPiece) {
    const records = Math.min(perPiece, count - first);
    const view = new DataView(new ArrayBuffer(records * stride));
    const next = table.starts.slice();
    const some = assigned
      ? blocksInOrder(blocks, format)
      : blocksWithin(blocks, format, first, first + records);
    for await (const { vectors, firstId } of decodedChunks(some, options)) {
      for (let row = 0; row * cut.kept < vectors.length; row++) {
        const list = assigned ? assigned[firstId + row] : 0;
        const place = (assigned ? next[list]++ : firstId + row) - first;
        if (place < 0 || place >= records) continue;
        const vector = vectors.subarray(row * cut.kept, (row + 1) * cut.kept);
        encodeRecord(kind, vector, table.centre(list), view, place * stride);
      }
    }
    yield new Uint8Array(view.buffer);
  }
}

/** The blocks that hold any of the ids from `first` to `end`. */
async function* blocksWithin(
  blocks: VectorBlocks,
  format: RowFormat,
  first: number,
  end: number,
): AsyncGenerator<VectorBlock> {
  for await (const block of blocksInOrder(blocks, format)) {
    if (block.firstId >= end) return;
    if (block.firstId + block.rows > first) yield block;
  }
}

async function* decodedChunks(
  blocks: AsyncIterable<VectorBlock>,
  { cut }: QuantizeOptions,
): AsyncGenerator<{ vectors: Float32Array; firstId: number }> {
  const buffer = new Float32Array(CHUNK * cut.dimension);
  for await (const { data, rows, firstId } of blocks) {
    for (let first = 0; first < rows; first += CHUNK) {
      const some = Math.min(CHUNK, rows - first);
      const part = buffer.subarray(0, some * cut.dimension);
      decodeRows(data.subarray(first * cut.dimension, (first + some) * cut.dimension), part);
      yield { vectors: cut.apply(part), firstId: firstId + first };
    }
  }
}
