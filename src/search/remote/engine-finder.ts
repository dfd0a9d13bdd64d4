import { NearmissError } from '../../base/errors.js';
import { bestHits } from '../../index/engines/best-hits.js';
import type { EngineConnection, VersionDescription } from '../../index/engines/engine.js';
import { sparseQueries } from '../../index/engines/sparse-rows.js';
import { oneRowEach } from '../../model/encoder/encoded-texts.js';
import { TERM_ROW } from '../../model/scorer/impact.js';
import { checkK, rowsOf } from '../check-search.js';
import { filterTree } from '../filter/filter-tree.js';
import { compareHits } from '../hits.js';
import type { VectorFinder } from '../retrievers/open-mode.js';
import type { Hit } from '../retrievers/retriever.js';
import type { SearchVectorsOptions } from '../searcher.js';

export interface EngineFinderOptions {
  connection: EngineConnection;
  version: string;
  description: VersionDescription;
  /** Compares every document. */
  exact?: boolean;
  onNote?: (note: string) => void;
}

/** Finds documents by vectors in an engine, which also filters. Closing the connection is left to whoever opened it. */
export class EngineFinder implements VectorFinder {
  readonly dimension: number;
  readonly scorer: string | undefined;
  readonly #options: EngineFinderOptions;

  constructor(options: EngineFinderOptions) {
    const { dimension = TERM_ROW, compare, sparse } = options.description.shape;
    this.dimension = dimension;
    this.scorer = sparse ? 'impact' : compare === 'max-sim' ? compare : undefined;
    this.#options = options;
  }

  async search(
    vectors: Float32Array,
    { k, filter, signal, offsets }: SearchVectorsOptions,
  ): Promise<Hit[][]> {
    const { connection, version, description, exact, onNote } = this.#options;
    checkK(k);
    const total = rowsOf(vectors, this.dimension, offsets).length;
    if (filter !== undefined && !description.documents) {
      throw new NearmissError(`filter: ${version} has no metadata of documents`, {
        hint: 'push it with its collection: nearmiss push RUN --to …',
      });
    }
    if (total === 0 || description.findable === 0) return Array.from({ length: total }, () => []);
    const { hits, partial } = await bestHits(connection, version, {
      ...(description.shape.sparse
        ? { sparse: sparseQueries(vectors, offsets ?? oneRowEach(total)) }
        : { rows: { vectors, offsets: offsets ?? oneRowEach(total) } }),
      k: Math.min(k, description.findable),
      exact,
      ids: true,
      signal,
      ...(filter && { filter: filterTree(filter) }),
    });
    if (partial !== undefined) onNote?.(`an answer of ${version} may lack documents: ${partial}`);
    return hits.map((found) =>
      found.map(({ id, number, score }) => ({ id: id ?? String(number), score })).sort(compareHits),
    );
  }
}
