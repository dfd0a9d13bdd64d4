import { exists } from '../base/files.js';
import { withWriteLock } from '../base/lock/write-lock.js';
import type { SessionOptions } from '../engine/index.js';
import { readDocumentFiles } from '../index/vectors/document-files.js';
import { DocumentIndex, documentFiles, FlatIndex, writeVectorIndex } from '../index/vectors/index.js';
import { IndexFolder, removeAndRepeat } from '../index/vectors/index-folder.js';
import { loadSide } from '../model/folder/tower-folders.js';
import { Encoder } from '../model/index.js';
import { encodeCorpus, removeShards } from '../train/refresh/corpus-encoder.js';
import { modelFolder } from './model-folder.js';
import { READ_ONLY_RUN, type RunDirectory } from './run-directory.js';
import type { TrainingData } from './training-data.js';

export interface ExactCorpusOptions {
  run: RunDirectory;
  step: number;
  data: TrainingData;
  session: SessionOptions;
  onProgress?: (documents: number) => void;
}

/** Room for the rankings of some queries over the whole collection: more means fewer passes over the vectors. */
const RANKING_BYTES = 512 * 2 ** 20;

/** One query's ranking of the whole collection. */
export interface FullRanking {
  /** Its place among the queries asked. */
  place: number;
  documents: Int32Array;
  scores: Float32Array;
}

/**
 * The collection as one checkpoint encodes it, searched exactly: what is near the top by an approximate index, and
 * what is there in truth, are different questions. Vectors stay on disk.
 */
export class ExactCorpus {
  readonly #vectors: FlatIndex;
  readonly #documents: DocumentIndex;
  readonly #documentOf: Int32Array | undefined;

  private constructor(vectors: FlatIndex, documentOf: Int32Array | undefined) {
    this.#vectors = vectors;
    this.#documentOf = documentOf;
    this.#documents = new DocumentIndex({ vectors, documentOf });
  }

  /** Opens the run's own index of a step where it is exact, else encodes the collection once more. */
  static async open(options: ExactCorpusOptions): Promise<ExactCorpus> {
    const path = await exactFolder(options);
    const folder = await IndexFolder.open(path, { remedy: removeAndRepeat(path) });
    const { documentOf } = await readDocumentFiles(folder);
    const vectors = await FlatIndex.open(folder, { access: 'disk', session: options.session });
    return new ExactCorpus(vectors, documentOf);
  }

  /** How many documents there are. */
  get count(): number {
    return this.#documents.count;
  }

  search(queries: Float32Array, k: number): ReturnType<DocumentIndex['search']> {
    return this.#documents.search(queries, { k: Math.min(k, this.count) });
  }

  /** Every query's ranking of all documents, some queries at a time. */
  async *rankAll(queries: Float32Array): AsyncGenerator<FullRanking> {
    const { dimension } = this.#vectors.metadata;
    const { count } = this;
    const atOnce = Math.max(1, Math.floor(RANKING_BYTES / (8 * count)));
    for (let first = 0; first * dimension < queries.length; first += atOnce) {
      const part = queries.subarray(first * dimension, (first + atOnce) * dimension);
      const { ids, scores } = await this.search(part, count);
      for (let row = 0; row * dimension < part.length; row++) {
        yield {
          place: first + row,
          documents: ids.subarray(row * count, (row + 1) * count),
          scores: scores.subarray(row * count, (row + 1) * count),
        };
      }
    }
  }

  /** The vectors of some documents: several each where documents have pieces. */
  async vectorsOf(documents: readonly number[]): Promise<Map<number, Float32Array[]>> {
    const { dimension } = this.#vectors.metadata;
    const rows = documents.flatMap((document) => this.#rowsOf(document).map((row) => ({ document, row })));
    const vectors = await this.#vectors.vectors(rows.map(({ row }) => row));
    const found = new Map<number, Float32Array[]>(documents.map((document) => [document, []]));
    rows.forEach(({ document }, i) => {
      found.get(document)!.push(vectors.subarray(i * dimension, (i + 1) * dimension));
    });
    return found;
  }

  async close(): Promise<void> {
    await this.#documents.close();
  }

  #rowsOf(document: number): number[] {
    if (!this.#documentOf) return [document];
    const rows: number[] = [];
    for (let row = lowerBound(this.#documentOf, document); this.#documentOf[row] === document; row++)
      rows.push(row);
    return rows;
  }
}

async function exactFolder(options: ExactCorpusOptions): Promise<string> {
  const { run, step } = options;
  const own = run.stepPath('index', step);
  if ((await exists(own)) && (await isExact(own))) return own;
  const cached = run.file('cache', 'analyze', `index-${step}`);
  await withWriteLock(`${cached}.lock`, READ_ONLY_RUN, async () => {
    if (!(await exists(cached))) await encodeExactly(cached, options);
  });
  return cached;
}

async function isExact(path: string): Promise<boolean> {
  const { metadata } = await IndexFolder.open(path, { remedy: removeAndRepeat(path) });
  return metadata.type === 'flat';
}

async function encodeExactly(folder: string, options: ExactCorpusOptions): Promise<void> {
  const { run, step, data, session, onProgress } = options;
  const model = await loadSide(await modelFolder(run, step), 'documents');
  const encoder = await Encoder.create(model, { session });
  const directory = `${folder}.shards`;
  const { shards, documentOf } = await encodeCorpus({
    documents: data.documents,
    encoder,
    directory,
    onProgress,
  });
  await encoder.release();
  const { dimension } = encoder;
  await writeVectorIndex(folder, shards(), {
    type: 'flat',
    dimension,
    extra: documentFiles({ documentOf }),
  });
  await removeShards(directory);
}

/** The first place in an ascending list whose value is at least `value`. */
function lowerBound(ascending: Int32Array, value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
