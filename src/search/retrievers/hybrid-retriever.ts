import type { Ranking } from '../../evaluate/index.js';
import { checkK } from '../check-search.js';
import { gatherCandidates } from '../fusion/columns.js';
import { combine } from '../fusion/fuse.js';
import type { FusionMethodOptions } from '../fusion/index.js';
import { compareHits } from '../hits.js';
import type { Hit, RetrieveOptions, Retriever, ScorePart } from './retriever.js';

export interface HybridOptions extends FusionMethodOptions {
  /** One weight a retriever, in their order. Default 1 each. */
  weights?: readonly number[];
  /** Hits of each retriever that are fused, at least k. Default 200. */
  depth?: number;
}

const DEFAULT_DEPTH = 200;

/** Needs no tuning, and was better than ranks wherever it was measured (docs/search.md). */
const UNTUNED: HybridOptions = { method: 'linear', normalization: 'zscore' };

/**
 * Fuses the hits of several retrievers: unless told otherwise by the sum of their scores, each in standard deviations
 * from the mean of its list.
 */
export class HybridRetriever implements Retriever {
  readonly mode = 'hybrid';
  readonly #retrievers: readonly Retriever[];
  readonly #options: HybridOptions;
  readonly #weights: readonly number[];

  constructor(retrievers: readonly Retriever[], options: HybridOptions = {}) {
    this.#retrievers = retrievers;
    this.#options = options.method === undefined ? { ...options, ...UNTUNED } : options;
    this.#weights = options.weights ?? retrievers.map(() => 1);
  }

  async search(queries: readonly string[], options: RetrieveOptions): Promise<Hit[][]> {
    const { k, onDone, ...rest } = options;
    checkK(k);
    const depth = Math.max(k, this.#options.depth ?? DEFAULT_DEPTH);
    const lists = await Promise.all(
      this.#retrievers.map((retriever, i) =>
        retriever.search(queries, { ...rest, k: depth, onDone: i === 0 ? onDone : undefined }),
      ),
    );
    return queries.map((_, query) =>
      this.#fuse(
        lists.map((hits) => hits[query]),
        { ...options, depth },
      ),
    );
  }

  async close(): Promise<void> {}

  #fuse(lists: readonly Hit[][], { k, explain, depth }: RetrieveOptions & { depth: number }): Hit[] {
    const byRank = this.#options.method === 'rrf';
    const found = new Set(lists.flatMap((hits) => hits.map(({ id }) => id)));
    const scale = (hits: readonly Hit[]): readonly Hit[] =>
      byRank || !isComplete(hits, { depth, found }) ? hits : [...hits, NO_MATCH];
    const candidates = gatherCandidates(
      lists.map((hits) => ranking(scale(hits), byRank)),
      this.#options,
    );
    const { ids, scores } = combine(candidates, this.#weights, candidates.ids.length);
    const hits = ids
      .map((id, i): Hit => ({ id, score: scores[i] }))
      .filter(({ id }) => id !== NO_MATCH.id)
      .sort(compareHits);
    const best = hits.slice(0, k);
    if (!explain) return best;
    const places = new Map(candidates.ids.map((id, place) => [id, place]));
    const parts = lists.map((list) => new Map(list.map((hit) => [hit.id, hit.parts![0]])));
    return best.map((hit) => ({
      ...hit,
      parts: this.#retrievers.map(({ mode }, list): ScorePart => {
        const contribution = this.#weights[list] * candidates.columns[list][places.get(hit.id)!];
        return { ...(parts[list].get(hit.id) ?? { name: mode }), contribution };
      }),
    }));
  }
}

/**
 * What a document scores that has none of the words: with it in the list, even a single hit stands out from those that
 * are none. No document is called like this.
 */
const NO_MATCH: Hit = { id: '', score: 0 };

/** Whether a list has all that its retriever could find, and others found more: what it lacks did not match at all. */
function isComplete(
  hits: readonly Hit[],
  { depth, found }: { depth: number; found: ReadonlySet<string> },
): boolean {
  return hits.length > 0 && hits.length < Math.min(depth, found.size) && hits.every(({ score }) => score > 0);
}

/** Fusion by ranks takes the order as it is: equal scores must not be put into another one. */
function ranking(hits: readonly Hit[], byRank: boolean): Ranking {
  return {
    ids: hits.map(({ id }) => id),
    scores: Float64Array.from(hits, ({ score }, i) => (byRank ? -i : score)),
  };
}
