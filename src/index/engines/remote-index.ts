import { NearmissError } from '../../base/errors.js';
import { oneRowEach } from '../../model/encoder/encoded-texts.js';
import { checkSearch, emptyResult, oneRowEachQuery } from '../vectors/check-vectors.js';
import type {
  SearchOptions,
  SearchResult,
  VectorIndexMetadata,
  VectorSearcher,
} from '../vectors/vector-index.js';
import { bestHits } from './best-hits.js';
import { connectEngine } from './connect.js';
import type { EngineConnection, VersionDescription } from './engine.js';
import { sparseQueries } from './sparse-rows.js';

/** Documents that an engine searches, by number, like an index of our own. */
export class RemoteIndex implements VectorSearcher {
  readonly metadata: VectorIndexMetadata;
  readonly #connection: EngineConnection;
  readonly #version: string;
  readonly #description: VersionDescription;
  readonly #exact: boolean;

  private constructor(
    metadata: VectorIndexMetadata,
    connection: EngineConnection,
    description: VersionDescription,
  ) {
    const { version, exact } = metadata.remote!;
    this.metadata = metadata;
    this.#connection = connection;
    this.#version = version;
    this.#description = description;
    this.#exact = exact;
  }

  /** @param metadata of the folder that stands for it here */
  static async open(metadata: VectorIndexMetadata): Promise<RemoteIndex> {
    const { address, version } = metadata.remote!;
    const connection = await connectEngine(address);
    try {
      const description = await connection.describe(version);
      if (!description?.complete) {
        throw new NearmissError(`${address}: expected the version ${version}, which is not there`, {
          hint: 'remove the folder that names it, and run the command that made it again',
        });
      }
      return new RemoteIndex(metadata, connection, description);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async search(queries: Float32Array, options: SearchOptions): Promise<SearchResult> {
    const { k, efSearch, exhaustive, queryOffsets } = options;
    const total = checkSearch(queries, options, this.metadata);
    const { sparse } = this.#description.shape;
    if (this.metadata.scorer !== 'max-sim' && !sparse) oneRowEachQuery(options);
    const result = emptyResult(total, k);
    if (total === 0 || this.metadata.count === 0) return result;
    const exact = exhaustive ?? this.#exact;
    const offsets = queryOffsets ?? oneRowEach(total);
    const { findable } = this.#description;
    const { hits } = await bestHits(this.#connection, this.#version, {
      ...(sparse ? { sparse: sparseQueries(queries, offsets) } : { rows: { vectors: queries, offsets } }),
      k: Math.min(k, findable),
      exact,
      efSearch,
    });
    hits.forEach((found, query) => {
      // Documents that share no term with a query are none of its hits.
      if (exact && !sparse && found.length < Math.min(k, findable)) throw this.#incomplete(found.length, k);
      found.forEach(({ number, score }, i) => {
        result.ids[query * k + i] = number;
        result.scores[query * k + i] = score;
      });
    });
    return result;
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  #incomplete(found: number, k: number): NearmissError {
    const { findable } = this.#description;
    return new NearmissError(
      `${this.#version}: expected the best ${Math.min(k, findable)} of ${findable} documents, got ${found}`,
      { hint: 'the engine has lost documents: push or index the collection again' },
    );
  }
}
