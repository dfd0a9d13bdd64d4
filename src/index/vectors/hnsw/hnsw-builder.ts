import { NearmissError } from '../../../base/errors.js';
import { bytesOf } from '../../../base/numbers/bytes-of.js';
import { encodeFloat16 } from '../../../base/numbers/float16.js';
import { CREATED_BY } from '../../../base/version.js';
import { writeIndexFolder } from '../index-folder.js';
import { expectHalfRange } from '../row-codec.js';
import { VectorCut } from '../vector-cut.js';
import type { SaveOptions, VectorIndexBuilder, VectorIndexMetadata, VectorStorage } from '../vector-index.js';
import { VectorIntake } from '../vector-intake.js';
import { DistinctRows } from './distinct-rows.js';
import {
  DEFAULT_CONNECTIVITY,
  DEFAULT_EF_CONSTRUCTION,
  HnswIndex,
  type HnswParameters,
} from './hnsw-index.js';
import { int8Scale, largestMagnitude, toInt8 } from './int8.js';
import { Twins } from './twins.js';
import { UsearchGraph } from './usearch.js';

/** Vectors that are looked at before the scale of 8-bit components is chosen. */
const SCALE_ROWS = 10_000;

export interface HnswOptions {
  dimension: number;
  /** Default `f32`; `i8` takes a quarter of the memory and a little recall. */
  storage?: VectorStorage;
  /** Keeps only so many first numbers of each vector (Matryoshka). Default: all. */
  dimensions?: number;
  model?: string;
  /** Where the vectors are from, for error messages. Default `vectors`. */
  source?: string;
  /** Neighbours of a vector in the graph, M (twice as many in its lowest layer). Default 16. */
  connectivity?: number;
  /** Candidates kept while a vector is placed in the graph: more cost time and give recall. Default 128. */
  efConstruction?: number;
  /**
   * Threads; all cores when left out. With more than one the graph depends on their timing: for the same bits each
   * time, use 1. Searches before the index is saved and opened again use no more than the build did.
   */
  threads?: number;
}

/** Places vectors in the graph as they come; the calling thread is blocked while it does. */
export class HnswBuilder implements VectorIndexBuilder {
  readonly #options: HnswOptions;
  readonly #storage: VectorStorage;
  readonly #parameters: HnswParameters;
  readonly #intake: VectorIntake;
  readonly #cut: VectorCut;
  readonly #graph: UsearchGraph;
  readonly #distinct = new DistinctRows();
  /** Vectors that equal an earlier one, and which. */
  readonly #twins: { ids: number[]; firsts: number[] } = { ids: [], firsts: [] };
  #placed = 0;
  /** The first vectors, which decide the scale of 8-bit ones, until there are enough of them. */
  #held: Float32Array[] | undefined;

  constructor(options: HnswOptions) {
    this.#options = options;
    const { storage = 'f32' } = options;
    const connectivity = atLeast('connectivity', options.connectivity ?? DEFAULT_CONNECTIVITY, 2);
    const efConstruction = atLeast('efConstruction', options.efConstruction ?? DEFAULT_EF_CONSTRUCTION, 1);
    this.#storage = storage;
    this.#parameters = { connectivity, efConstruction, scale: 1 };
    this.#intake = new VectorIntake(options);
    this.#cut = new VectorCut(options.dimension, options.dimensions);
    this.#graph = new UsearchGraph({ dimension: this.#cut.kept, storage, connectivity, efConstruction });
    if (storage === 'i8') this.#held = [];
  }

  get count(): number {
    return this.#intake.count;
  }

  async add(block: Float32Array): Promise<void> {
    const firstRow = this.#intake.count;
    this.#intake.accept(block);
    const { source } = this.#intake;
    const kept = this.#cut.apply(block);
    if (this.#storage === 'f16') expectHalfRange(kept, { dimension: this.#cut.kept, firstRow, source });
    if (!this.#held) this.#place(kept);
    else {
      this.#held.push(kept.slice());
      if (this.#intake.count >= SCALE_ROWS) this.#releaseHeld();
    }
  }

  async finish(): Promise<HnswIndex> {
    this.#releaseHeld();
    const { model, threads } = this.#options;
    const twins = Twins.of(this.#twins.ids, this.#twins.firsts);
    const distinct = twins.size > 0 ? { distinct: this.#graph.size } : {};
    const metadata: VectorIndexMetadata = {
      type: 'hnsw',
      ...this.#intake.finish(),
      storage: this.#storage,
      ...(model === undefined ? {} : { model }),
      createdBy: CREATED_BY,
      parameters: { ...this.#parameters, ...this.#cut.parameters, ...distinct },
    };
    return new HnswIndex({ metadata, graph: this.#graph, twins, threads });
  }

  /** Chooses the scale by what was held back; whatever is larger in later vectors is clamped. */
  #releaseHeld(): void {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    this.#parameters.scale = int8Scale(Math.max(0, ...held.map(largestMagnitude)));
    for (const block of held) this.#place(block);
  }

  #place(block: Float32Array): void {
    if (block.length === 0) return;
    let vectors: Float32Array | Int8Array = block;
    if (this.#storage === 'i8') {
      vectors = new Int8Array(block.length);
      toInt8(block, this.#parameters.scale, vectors);
    }
    const ids = this.#notePlaces(vectors);
    const firstRow = this.#placed - vectors.length / this.#cut.kept;
    if (ids.length > 0)
      this.#graph.add(ids, this.#rowsOf(vectors, ids, firstRow), this.#options.threads ?? 0);
  }

  /** Gives rows their ids, and returns those of rows that equal none before them as they are stored. */
  #notePlaces(vectors: Float32Array | Int8Array): number[] {
    let stored: Float32Array | Int8Array | Uint16Array = vectors;
    if (this.#storage === 'f16') {
      stored = new Uint16Array(vectors.length);
      encodeFloat16(vectors as Float32Array, stored);
    }
    const bytes = bytesOf(stored);
    const rowBytes = this.#cut.kept * stored.BYTES_PER_ELEMENT;
    const ids: number[] = [];
    for (let at = 0; at < bytes.length; at += rowBytes) {
      const id = this.#placed++;
      const first = this.#distinct.firstOf(bytes.subarray(at, at + rowBytes), id);
      if (first === id) ids.push(id);
      else {
        this.#twins.ids.push(id);
        this.#twins.firsts.push(first);
      }
    }
    return ids;
  }

  #rowsOf<T extends Float32Array | Int8Array>(vectors: T, ids: readonly number[], firstRow: number): T {
    const { kept } = this.#cut;
    if (ids.length * kept === vectors.length) return vectors;
    const rows = vectors.slice(0, ids.length * kept) as T;
    ids.forEach((id, i) => {
      const from = (id - firstRow) * kept;
      rows.set(vectors.subarray(from, from + kept), i * kept);
    });
    return rows;
  }
}

/** Builds a graph in memory and writes it; the folder is claimed before the work begins. */
export async function writeHnswIndex(
  folder: string,
  vectors: AsyncIterable<Float32Array> | Iterable<Float32Array>,
  options: HnswOptions & SaveOptions,
): Promise<VectorIndexMetadata> {
  return writeIndexFolder(folder, options, async (writer) => {
    const builder = new HnswBuilder(options);
    for await (const block of vectors) await builder.add(block);
    return (await builder.finish()).writeFiles(writer);
  });
}

function atLeast(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw new NearmissError(`${name}: expected an integer from ${least} up, got ${value}`);
}
