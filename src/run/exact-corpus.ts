import { exists } from '../base/files.js';
import { withWriteLock } from '../base/lock/write-lock.js';
import type { SessionOptions } from '../engine/index.js';
import { readDocumentFiles, readRowDocuments } from '../index/vectors/document-files.js';
import { DocumentIndex, FlatIndex } from '../index/vectors/index.js';
import { IndexFolder, removeAndRepeat } from '../index/vectors/index-folder.js';
import { searchByScorer } from '../index/vectors/open.js';
import { writeDocumentIndex } from '../index/write-documents.js';
import { loadSide } from '../model/folder/tower-folders.js';
import { type EncodedTexts, Encoder, encodeNumbered } from '../model/index.js';
import { indexScorer } from '../model/representation/kinds.js';
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

  private constructor(vectors: FlatIndex, documents: DocumentIndex) {
    this.#vectors = vectors;
    this.#documents = documents;
  }

  /** Opens the run's own index of a step where it is exact, else encodes the collection once more. */
  static async open(options: ExactCorpusOptions): Promise<ExactCorpus> {
    const path = await exactFolder(options);
    const folder = await IndexFolder.open(path, { remedy: removeAndRepeat(path) });
    const documents = await readDocumentFiles(folder);
    const vectors = await FlatIndex.open(folder, { access: 'disk', session: options.session });
    const searcher = await searchByScorer(vectors, await readRowDocuments(folder), options.session);
    return new ExactCorpus(vectors, new DocumentIndex({ vectors: searcher, ...documents }));
  }

  /** Numbers in a row. */
  get dimension(): number {
    return this.#vectors.metadata.dimension;
  }

  /** How many documents there are. */
  get count(): number {
    return this.#documents.count;
  }

  search(queries: Float32Array, k: number, queryOffsets?: Uint32Array): ReturnType<DocumentIndex['search']> {
    return this.#documents.search(queries, { k: Math.min(k, this.count), queryOffsets });
  }

  /** Every query's ranking of all documents, some queries at a time. */
  async *rankAll({ vectors, offsets }: EncodedTexts): AsyncGenerator<FullRanking> {
    const { dimension } = this.#vectors.metadata;
    const { count } = this;
    const queries = offsets.length - 1;
    const atOnce = Math.max(1, Math.floor(RANKING_BYTES / (8 * count)));
    for (let first = 0; first < queries; first += atOnce) {
      const end = Math.min(queries, first + atOnce);
      const part = vectors.subarray(offsets[first] * dimension, offsets[end] * dimension);
      const partOffsets = offsets.subarray(first, end + 1).map((offset) => offset - offsets[first]);
      const { ids, scores } = await this.search(part, count, partOffsets);
      for (let row = 0; row < end - first; row++) {
        yield {
          place: first + row,
          documents: ids.subarray(row * count, (row + 1) * count),
          scores: scores.subarray(row * count, (row + 1) * count),
        };
      }
    }
  }

  /** The rows of some documents. */
  async vectorsOf(documents: readonly number[]): Promise<EncodedTexts> {
    const rows: number[] = [];
    const offsets = new Uint32Array(documents.length + 1);
    documents.forEach((document, i) => {
      const { first, end } = this.#documents.vectorsOf(document);
      for (let row = first; row < end; row++) rows.push(row);
      offsets[i + 1] = rows.length;
    });
    return { vectors: await this.#vectors.vectors(rows), offsets };
  }

  async close(): Promise<void> {
    await this.#documents.close();
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
  return metadata.type === 'flat' && metadata.parameters.dimensions === undefined;
}

async function encodeExactly(folder: string, options: ExactCorpusOptions): Promise<void> {
  const { run, step, data, session, onProgress } = options;
  const model = await loadSide(await modelFolder(run, step), 'documents');
  const encoder = await Encoder.create(model, { session });
  const { shards, offsets, remove } = await encodeNumbered(encoder, data.documents, {
    directory: `${folder}.shards`,
    onProgress,
  }).finally(() => encoder.release());
  const { dimension } = encoder;
  const scorer = indexScorer(model.spec.head);
  await writeDocumentIndex(
    folder,
    { offsets, blocks: shards },
    { type: 'flat', bits: 'exact', dimension, ...(scorer && { scorer }) },
  );
  await remove();
}
