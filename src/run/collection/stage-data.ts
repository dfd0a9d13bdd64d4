import { withWriteLock } from '../../base/lock/write-lock.js';
import { examples } from '../../examples/kinds.js';
import type { Choice } from '../../recipe/recipe.js';
import type { RunDescription } from '../run-description.js';
import { READ_ONLY_RUN, type RunDirectory } from '../run-directory.js';
import type { TrainingData } from '../training-data.js';
import { ownQueries } from './own-queries.js';

export interface StageDataOptions {
  run: RunDirectory;
  description: Pick<RunDescription, 'recipe' | 'split'>;
  /** The collection as it is. */
  collection: TrainingData;
}

/**
 * What each stage of a run takes for its training queries: those of the collection, or others that its examples bring along,
 * which then are mined, labelled and taught just so. The documents are the same.
 */
export class StageData {
  readonly collection: TrainingData;
  readonly #options: StageDataOptions;
  readonly #opened = new Map<string, Promise<TrainingData>>();

  constructor(options: StageDataOptions) {
    this.collection = options.collection;
    this.#options = options;
  }

  /** The data of a stage that learns from such examples. */
  of(choice: Choice): Promise<TrainingData> {
    if (!examples.get(choice.name).ownQueries) return Promise.resolve(this.collection);
    const key = JSON.stringify(choice);
    const known = this.#opened.get(key);
    if (known) return known;
    const opening = this.#open(choice);
    this.#opened.set(key, opening);
    // What an earlier stage has not made yet may be there when it is asked for again.
    opening.catch(() => this.#opened.delete(key));
    return opening;
  }

  async #open(choice: Choice): Promise<TrainingData> {
    const { run, description, collection } = this.#options;
    const own = await ownQueries({ run, description, dataset: collection.dataset }, choice);
    if (!own) return collection;
    // Both processes of a run want the same token caches at the same moment.
    return withWriteLock(run.file('cache', 'tokens.lock'), READ_ONLY_RUN, () => collection.withQueries(own));
  }

  async close(): Promise<void> {
    for (const opened of this.#opened.values()) await (await opened).close();
    await this.collection.close();
  }
}
