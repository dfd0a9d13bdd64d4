import { checkK, rowsOf } from '../../check-search.js';
import { compileFilter } from '../../filter/filter.js';
import type { VectorFinder } from '../../retrievers/open-mode.js';
import type { Hit } from '../../retrievers/retriever.js';
import type { SearchVectorsOptions } from '../../searcher.js';
import { bestLiveHits, mergeHits } from './live-hits.js';
import type { OverlayState } from './overlay.js';
import { scoreVectors } from './score-vectors.js';

/** Finds base and added documents by vectors. */
export class LiveVectors implements VectorFinder {
  readonly dimension: number;
  readonly #base: VectorFinder;
  readonly #writes: OverlayState;

  constructor(base: VectorFinder, writes: OverlayState) {
    this.dimension = base.dimension;
    this.#base = base;
    this.#writes = writes;
  }

  async search(vectors: Float32Array, { k, filter }: SearchVectorsOptions): Promise<Hit[][]> {
    const { dimension } = this;
    const writes = this.#writes;
    checkK(k);
    const rows = rowsOf(vectors, dimension);
    const matches = filter && compileFilter(filter);
    const scored = await scoreVectors(rows, writes);
    return mergeHits({
      k,
      writes,
      live: scored.map((slots) =>
        bestLiveHits(slots, { k, writes, matches }).map(({ id, score }) => ({ id, score })),
      ),
      fetch: (wanted, n) => {
        const some = new Float32Array(wanted.length * dimension);
        wanted.forEach((query, i) => {
          some.set(rows[query], i * dimension);
        });
        return this.#base.search(some, { k: n, filter });
      },
    });
  }
}
