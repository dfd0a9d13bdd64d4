import { NearmissError } from '../../base/errors.js';
import type { Ranking } from '../../evaluate/index.js';
import { CrossEncoder, loadCrossEncoder } from '../../model/index.js';
import type { RankedList } from '../../negatives/index.js';
import { modelFolder } from '../../run/model-folder.js';
import type { CheckpointSearch, CheckpointSearchOptions } from './checkpoint-search.js';
import { Reranking } from './reranking.js';

/** What a cross-encoder's checkpoint makes of BM25's first documents: it can rerank, but not search. */
export class RerankingCheckpoint implements CheckpointSearch {
  readonly step: number;
  readonly #scorer: CrossEncoder;
  readonly #reranking: Reranking;

  private constructor(step: number, options: CheckpointSearchOptions, scorer: CrossEncoder) {
    this.step = step;
    this.#scorer = scorer;
    this.#reranking = new Reranking(scorer, options);
  }

  static async open(step: number, options: CheckpointSearchOptions): Promise<RerankingCheckpoint> {
    const model = await loadCrossEncoder(await modelFolder(options.run, step));
    return new RerankingCheckpoint(
      step,
      options,
      await CrossEncoder.create(model, { session: options.session }),
    );
  }

  get seconds(): Record<string, number> {
    return this.#reranking.seconds;
  }

  rankings(queries: ArrayLike<number>, k: number): Promise<Map<string, Ranking>> {
    return this.#reranking.rankings(queries, k);
  }

  search(): AsyncIterable<RankedList & { place: number }> {
    throw new NearmissError('a cross-encoder has no index to mine negatives from', {
      hint: 'take negatives from bm25, or from a file that a retriever made (source: static)',
    });
  }

  close(): Promise<void> {
    return this.#scorer.release();
  }
}
