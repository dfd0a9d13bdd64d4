import { secondsSince } from '../../base/numbers/seconds-since.js';
import { inRankOrder, type Ranking } from '../../evaluate/index.js';
import { openBm25Index } from '../../index/bm25/index.js';
import type { TokenizedText } from '../../model/index.js';
import type { RankedList } from '../../negatives/index.js';
import { listsFromBm25, type QueryText } from '../../negatives/lists/from-bm25.js';
import { bm25Folder } from '../../run/bm25-folder.js';
import type { CheckpointSearchOptions } from './checkpoint-search.js';

export type RerankingOptions = Pick<
  CheckpointSearchOptions,
  'run' | 'data' | 'session' | 'onProgress' | 'signal'
>;

/** Scores of a query's documents, each read together with it. */
export interface PairScores {
  score(query: TokenizedText, documents: readonly TokenizedText[]): Promise<Float32Array>;
  release(): Promise<void>;
}

/** What a model that reads pairs makes of BM25's first documents. */
export class Reranking {
  readonly seconds = { bm25: 0, score: 0 };
  readonly #scorer: PairScores;
  readonly #options: RerankingOptions;

  constructor(scorer: PairScores, options: RerankingOptions) {
    this.#scorer = scorer;
    this.#options = options;
  }

  /** BM25's best `k` documents of each query, in the order of their scores. */
  async rankings(queries: ArrayLike<number>, k: number): Promise<Map<string, Ranking>> {
    const { data, onProgress, signal } = this.#options;
    const lists = await this.#candidates(queries, k);
    const total = lists.reduce((sum, { ids }) => sum + ids.length, 0);
    const rankings = new Map<string, Ranking>();
    let done = 0;
    for (const { query, ids } of lists) {
      signal?.throwIfAborted();
      const scores = await this.#score(query, ids);
      const named = Array.from(ids, (id) => data.documents.cache.id(id));
      rankings.set(
        data.queries.cache.id(query),
        inRankOrder({ ids: named, scores: Float64Array.from(scores) }),
      );
      done += ids.length;
      await onProgress?.(done, total);
    }
    return rankings;
  }

  async #candidates(queries: ArrayLike<number>, depth: number): Promise<RankedList[]> {
    const { run, data, session } = this.#options;
    const started = performance.now();
    const index = await openBm25Index(await bm25Folder(run, data));
    const lists: RankedList[] = [];
    const texts = await this.#queryTexts(queries);
    for await (const list of listsFromBm25(index, texts, { depth, threads: session.threads }))
      lists.push(list);
    this.seconds.bm25 += secondsSince(started);
    return lists;
  }

  async #queryTexts(queries: ArrayLike<number>): Promise<QueryText[]> {
    const { dataset, queries: collection } = this.#options.data;
    const wanted = new Set(Array.from(queries));
    const texts: QueryText[] = [];
    for await (const { id, text } of dataset.queries()) {
      const query = collection.cache.indexOf(id);
      if (wanted.has(query)) texts.push({ query, text });
    }
    return texts;
  }

  async #score(query: number, documents: ArrayLike<number>): Promise<Float32Array> {
    const { data } = this.#options;
    const started = performance.now();
    const [text] = (await data.queries.texts([query])).texts;
    const { texts, offsets } = await data.documents.texts(documents);
    const scores = await this.#scorer.score(text, texts);
    this.seconds.score += secondsSince(started);
    // A document is as good as its best piece.
    return Float32Array.from({ length: documents.length }, (_, i) =>
      Math.max(...scores.subarray(offsets[i], offsets[i + 1])),
    );
  }
}
