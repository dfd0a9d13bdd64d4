import { Turn } from '../../../base/turn.js';
import { stackRows } from '../../../model/encoder/encoded-texts.js';
import { checkK, rowsOf } from '../../check-search.js';
import type { VectorFinder } from '../../retrievers/open-mode.js';
import type { Hit } from '../../retrievers/retriever.js';
import type { SearchVectorsOptions } from '../../searcher.js';
import { allowedSlots, bestLiveHits, mergeHits } from './live-hits.js';
import type { OverlayState } from './overlay.js';
import { scoreVectors } from './score-vectors.js';

/** Finds base and added documents by vectors. */
export class LiveVectors implements VectorFinder {
  readonly dimension: number;
  readonly scorer: string | undefined;
  readonly #base: VectorFinder;
  readonly #writes: OverlayState;

  constructor(base: VectorFinder, writes: OverlayState) {
    this.dimension = base.dimension;
    this.scorer = base.scorer;
    this.#base = base;
    this.#writes = writes;
  }

  async search(
    vectors: Float32Array,
    { k, filter, signal, offsets }: SearchVectorsOptions,
  ): Promise<Hit[][]> {
    const { dimension } = this;
    const writes = this.#writes;
    checkK(k);
    const rows = rowsOf(vectors, dimension, offsets);
    const allowed = allowedSlots(filter, writes);
    const turn = await Turn.begin(signal);
    const scored = await scoreVectors(rows, writes, { dimension, scorer: this.scorer, turn, signal });
    const live: Hit[][] = [];
    for (const slots of scored) {
      const hits = await bestLiveHits(slots, { k, writes, allowed, turn, signal });
      live.push(hits.map(({ id, score }) => ({ id, score })));
    }
    return mergeHits({
      k,
      writes,
      live,
      fetch: (wanted, n) => {
        const some = stackRows(
          wanted.map((query) => rows[query]),
          dimension,
        );
        return this.#base.search(some.vectors, { k: n, filter, signal, offsets: some.offsets });
      },
      signal,
    });
  }
}
