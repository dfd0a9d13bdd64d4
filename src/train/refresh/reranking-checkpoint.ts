import { NearmissError } from '../../base/errors.js';
import type { Ranking } from '../../evaluate/index.js';
import type { RankedList } from '../../negatives/index.js';
import type { CheckpointSearch, CheckpointSearchOptions } from './checkpoint-search.js';
import { type PairScores, Reranking } from './reranking.js';

/** What a checkpoint that reads pairs makes of BM25's first documents: it can rerank, but not search. */
export class RerankingCheckpoint implements CheckpointSearch {
  readonly step: number;
  readonly #scorer: PairScores;
  readonly #reranking: Reranking;

  private constructor(step: number, options: CheckpointSearchOptions, scorer: PairScores) {
    this.step = step;
    this.#scorer = scorer;
    this.#reranking = new Reranking(scorer, options);
  }

  static async open(
    step: number,
    options: CheckpointSearchOptions,
    openScores: () => Promise<PairScores>,
  ): Promise<RerankingCheckpoint> {
    return new RerankingCheckpoint(step, options, await openScores());
  }

  get seconds(): Record<string, number> {
    return this.#reranking.seconds;
  }

  rankings(queries: ArrayLike<number>, k: number): Promise<Map<string, Ranking>> {
    return this.#reranking.rankings(queries, k);
  }

  search(): AsyncIterable<RankedList & { place: number }> {
    throw new NearmissError('a model that reads pairs has no index to mine negatives from', {
      hint: 'take negatives from bm25, or from a file that a retriever made (source: static)',
    });
  }

  close(): Promise<void> {
    return this.#scorer.release();
  }
}
