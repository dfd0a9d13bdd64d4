import { totalmem } from 'node:os';
import { closingOnFailure } from '../../base/closing.js';
import { secondsSince } from '../../base/numbers/seconds-since.js';
import type { SessionOptions } from '../../engine/index.js';
import type { Ranking } from '../../evaluate/index.js';
import { type DocumentIndex, openDocumentIndex, vectorIndexBytes } from '../../index/vectors/index.js';
import { IndexFolder, removeAndRepeat } from '../../index/vectors/index-folder.js';
import { loadSide } from '../../model/folder/tower-folders.js';
import { Encoder } from '../../model/index.js';
import type { RankedList } from '../../negatives/index.js';
import { modelFolder } from '../../run/model-folder.js';
import type { CheckpointSearch, CheckpointSearchOptions } from './checkpoint-search.js';
import { indexDocuments } from './index-documents.js';

/** Queries searched at once. */
const CHUNK = 2048;

/** The corpus as one checkpoint sees it: encoded, indexed, ready for queries. */
export class DenseCheckpoint implements CheckpointSearch {
  readonly step: number;
  /** Seconds spent so far, by part. */
  readonly seconds = { encode: 0, index: 0, search: 0 };
  readonly #options: CheckpointSearchOptions;
  readonly #queryEncoder: Encoder;
  readonly #index: DocumentIndex;

  private constructor(
    step: number,
    options: CheckpointSearchOptions,
    queryEncoder: Encoder,
    index: DocumentIndex,
  ) {
    this.step = step;
    this.#options = options;
    this.#queryEncoder = queryEncoder;
    this.#index = index;
  }

  /** Encodes and indexes the corpus with a checkpoint, or opens the index where that was done before. */
  static async open(step: number, options: CheckpointSearchOptions): Promise<DenseCheckpoint> {
    const { run, recipe, session } = options;
    const seconds = await indexDocuments(step, options);
    const index = await openIndex(run.stepPath('index', step), session);
    return closingOnFailure(async (closing) => {
      await closing.add(index);
      const model = await loadSide(await modelFolder(run, step), 'queries');
      const queryEncoder = await Encoder.create(model, {
        session: { ...session, precision: recipe.refresh.precision },
      });
      const checkpoint = new DenseCheckpoint(step, options, queryEncoder, index);
      Object.assign(checkpoint.seconds, seconds);
      return checkpoint;
    });
  }

  /** The best documents of some queries, by number. */
  async *search(queries: ArrayLike<number>, k: number): AsyncGenerator<RankedList & { place: number }> {
    const { data, signal } = this.#options;
    for (let start = 0; start < queries.length; start += CHUNK) {
      signal?.throwIfAborted();
      const part = Array.from(
        { length: Math.min(CHUNK, queries.length - start) },
        (_, i) => queries[start + i],
      );
      const started = performance.now();
      const { vectors, offsets: queryOffsets } = await this.#queryEncoder.encodeTokens(
        await data.queries.texts(part),
      );
      const found = await this.#index.search(vectors, { k: Math.min(k, this.#index.count), queryOffsets });
      this.seconds.search += secondsSince(started);
      for (const [i, query] of part.entries()) {
        const ids = found.ids.subarray(i * found.k, (i + 1) * found.k).filter((id) => id >= 0);
        yield {
          place: start + i,
          query,
          ids,
          scores: found.scores.subarray(i * found.k, i * found.k + ids.length),
        };
      }
    }
  }

  /** What the queries find, with ids as the collection has them. */
  async rankings(queries: ArrayLike<number>, k: number): Promise<Map<string, Ranking>> {
    const { data } = this.#options;
    const rankings = new Map<string, Ranking>();
    for await (const { query, ids, scores } of this.search(queries, k)) {
      rankings.set(data.queries.cache.id(query), {
        ids: Array.from(ids, (id) => data.documents.cache.id(id)),
        scores: Float64Array.from(scores),
      });
    }
    return rankings;
  }

  async close(): Promise<void> {
    await this.#queryEncoder.release();
    await this.#index.close();
  }
}

/** A flat index that would take most of the memory stays on disk: slower, and the same bits. */
async function openIndex(folder: string, { threads }: SessionOptions): Promise<DocumentIndex> {
  const remedy = removeAndRepeat(folder);
  const { metadata } = await IndexFolder.open(folder, { remedy });
  const access = vectorIndexBytes(metadata) > totalmem() / 2 ? 'disk' : 'memory';
  return openDocumentIndex(folder, { access, threads, remedy });
}
