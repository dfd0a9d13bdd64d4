import { NearmissError } from '../base/errors.js';
import { exists } from '../base/files.js';
import type { SessionOptions } from '../engine/index.js';
import type { Ranking } from '../evaluate/index.js';
import { type DocumentIndex, openDocumentIndex } from '../index/vectors/index.js';
import { Encoder } from '../model/index.js';
import { RunDirectory } from '../train/run-directory.js';
import { isRun } from '../train/run-setup.js';
import { loadSide } from '../train/tower-models.js';

export interface OpenDenseOptions {
  /** The model that encoded the index; a run knows its own. */
  model?: string;
  session?: SessionOptions;
}

/** Queries encoded and searched at once. */
const CHUNK = 1024;

/**
 * Finds documents by their vectors.
 *
 * @example
 * const retriever = await DenseRetriever.open('runs/medquad');
 * const [ranking] = await retriever.search(['what causes anemia'], { k: 10 });
 * await retriever.close();
 */
export class DenseRetriever {
  readonly #encoder: Encoder;
  readonly #index: DocumentIndex;

  private constructor(encoder: Encoder, index: DocumentIndex) {
    this.#encoder = encoder;
    this.#index = index;
  }

  /** Opens a run (its best model and that model's index), or an index folder with the model that encoded it. */
  static async open(path: string, { model, session = {} }: OpenDenseOptions = {}): Promise<DenseRetriever> {
    if (!(await exists(path)))
      throw new NearmissError(`${path}: no such run or index`, { hint: 'check the path' });
    const place = (await isRun(path)) ? await bestOf(path) : { model, index: path };
    if (place.model === undefined) {
      throw new NearmissError(`${path}: an index by itself cannot encode queries`, {
        hint: 'name the model that encoded it with --model',
      });
    }
    const index = await openDocumentIndex(place.index, { threads: session.threads });
    const encoder = await Encoder.create(await loadSide(place.model, 'queries'), { session });
    if (encoder.dimension !== index.vectors.metadata.dimension) {
      throw new NearmissError(
        `${place.model} makes vectors of ${encoder.dimension} numbers, ${place.index} holds ${index.vectors.metadata.dimension}`,
        { hint: 'name the model that encoded the index' },
      );
    }
    return new DenseRetriever(encoder, index);
  }

  /** The best documents of each query. */
  async search(
    queries: readonly string[],
    { k, onDone }: { k: number; onDone?: (queries: number) => void },
  ): Promise<Ranking[]> {
    const rankings: Ranking[] = [];
    for (let start = 0; start < queries.length; start += CHUNK) {
      const part = queries.slice(start, start + CHUNK);
      const found = await this.#index.search(await this.#encoder.encode(part, { use: 'query' }), { k });
      part.forEach((_, i) => {
        const ids = found.ids.subarray(i * k, (i + 1) * k).filter((id) => id >= 0);
        rankings.push({
          ids: Array.from(ids, (id) => this.#index.ids?.idAt(id) ?? String(id)),
          scores: Float64Array.from(found.scores.subarray(i * k, i * k + ids.length)),
        });
      });
      onDone?.(part.length);
    }
    return rankings;
  }

  async close(): Promise<void> {
    await this.#encoder.release();
    await this.#index.close();
  }
}

async function bestOf(path: string): Promise<{ model: string; index: string }> {
  const run = new RunDirectory(path);
  const best = await run.readJson<{ step: number }>('best.json');
  if (!best) {
    throw new NearmissError(`${path}: this run has no measured model yet`, {
      hint: 'wait for its first evaluation',
    });
  }
  return { model: run.file('best'), index: run.stepPath('index', best.step) };
}
