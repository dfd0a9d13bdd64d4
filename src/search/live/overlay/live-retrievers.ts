import { setImmediate as nextTurn } from 'node:timers/promises';
import { compileFilter } from '../../filter/filter.js';
import type { Hit, RetrieveOptions, Retriever } from '../../retrievers/retriever.js';
import type { Searcher, SearchVectorsOptions } from '../../searcher.js';
import { bestLiveHits, type LiveHit, type MergeOptions, mergeHits } from './live-hits.js';
import type { LiveTerms } from './live-terms.js';
import { scoreVectors } from './live-vectors.js';
import type { OverlayView } from './overlay.js';

/** Queries encoded and searched at once; progress is told after each. */
const QUERIES_AT_ONCE = 256;

/** Finds base and added documents by their words. */
export class LiveBm25Retriever implements Retriever {
  readonly mode = 'bm25';
  readonly #base: Retriever;
  readonly #terms: LiveTerms;
  readonly #view: OverlayView;

  constructor(base: Retriever, terms: LiveTerms, view: OverlayView) {
    this.#base = base;
    this.#terms = terms;
    this.#view = view;
  }

  async search(queries: readonly string[], options: RetrieveOptions): Promise<Hit[][]> {
    const { k, filter, explain, onDone } = options;
    const view = this.#view;
    const matches = filter && compileFilter(filter);
    const live: Hit[][] = [];
    for (const query of queries) {
      const hits = bestLiveHits(this.#terms.score(query, view), { k, view, matches });
      live.push(hits.map((hit) => this.#hit(hit, explain ? query : undefined)));
      // Others get their turn between the queries of a long list.
      if (queries.length > 1) await nextTurn();
    }
    const merged = await mergeHits({
      k,
      ...hiding(view),
      live,
      fetch: (wanted, n) =>
        this.#base.search(
          wanted.map((i) => queries[i]),
          { k: n, filter, explain },
        ),
    });
    onDone?.(queries.length);
    return merged.map(rerank);
  }

  async close(): Promise<void> {}

  #hit({ id, score, slot }: LiveHit, query: string | undefined): Hit {
    if (query === undefined) return { id, score };
    return {
      id,
      score,
      parts: [{ name: 'bm25', score, terms: this.#terms.explain(query, slot, this.#view) }],
    };
  }
}

/** Finds base and added documents by their vectors. */
export class LiveDenseRetriever implements Retriever {
  readonly mode = 'dense';
  readonly #base: Searcher;
  readonly #view: OverlayView;

  constructor(base: Searcher, view: OverlayView) {
    this.#base = base;
    this.#view = view;
  }

  async search(queries: readonly string[], options: RetrieveOptions): Promise<Hit[][]> {
    const { k, filter, explain, onDone } = options;
    const results: Hit[][] = [];
    for (let start = 0; start < queries.length; start += QUERIES_AT_ONCE) {
      const part = queries.slice(start, start + QUERIES_AT_ONCE);
      const vectors = await this.#base.encode(part, 'query');
      for (const hits of await searchLiveVectors(this.#base, this.#view, vectors, { k, filter })) {
        const parts = ({ score }: Hit) => (explain ? { parts: [{ name: 'dense', score }] } : {});
        results.push(rerank(hits.map((hit) => ({ ...hit, ...parts(hit) }))));
      }
      onDone?.(part.length);
    }
    return results;
  }

  async close(): Promise<void> {}
}

/** The documents nearest to vectors, which come one after another. */
export async function searchLiveVectors(
  base: Searcher,
  view: OverlayView,
  vectors: Float32Array,
  { k, filter }: SearchVectorsOptions,
): Promise<Hit[][]> {
  const dimension = base.model?.dimension ?? vectors.length;
  const row = (i: number): Float32Array => vectors.subarray(i * dimension, (i + 1) * dimension);
  const rows = Array.from({ length: vectors.length / dimension }, (_, i) => row(i));
  const matches = filter && compileFilter(filter);
  const scored = await scoreVectors(rows, view);
  return mergeHits({
    k,
    ...hiding(view),
    live: scored.map((slots) =>
      bestLiveHits(slots, { k, view, matches }).map(({ id, score }) => ({ id, score })),
    ),
    fetch: (wanted, n) => {
      const some = new Float32Array(wanted.length * dimension);
      wanted.forEach((query, i) => {
        some.set(rows[query], i * dimension);
      });
      return base.searchVectors(some, { k: n, filter });
    },
  });
}

function hiding(view: OverlayView): Pick<MergeOptions, 'hides' | 'mostHidden'> {
  const { documents, removals } = view.counts;
  return { hides: (id) => view.entry(id) !== undefined, mostHidden: documents + removals };
}

/** Explanations with the ranks of the merged list. */
function rerank(hits: readonly Hit[]): Hit[] {
  return hits.map((hit, i) =>
    hit.parts ? { ...hit, parts: hit.parts.map((part) => ({ ...part, rank: i + 1 })) } : hit,
  );
}
