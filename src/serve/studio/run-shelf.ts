import { LRUCache } from 'lru-cache';
import type { RunCollection, WatchedRun } from '../../analyze/watch/index.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { ApiError } from '../api-error.js';
import { analyses } from './analyses.js';

/** Runs whose events are kept in memory: a hundred bytes a step. */
const MOST_WATCHED = 16;
/** Collections kept open: a file and a table of ids each. */
const MOST_OPEN = 4;

/** Keeps the runs that were looked at last ready for the next look. */
export class RunShelf {
  readonly #watched = new LRUCache<string, WatchedRun>({ max: MOST_WATCHED });
  readonly #collections = new LRUCache<string, LentCollection>({
    max: MOST_OPEN,
    dispose: (collection) => collection.retire(),
  });

  async watched(path: string): Promise<WatchedRun> {
    const { WatchedRun } = await analyses();
    const known = this.#watched.get(path);
    if (known) return known;
    const watched = new WatchedRun(path);
    this.#watched.set(path, watched);
    return watched;
  }

  /** Works with a run's collection. One that fails is opened anew the next time: its files may have been changed. */
  async withCollection<T>(run: RunDirectory, work: (collection: RunCollection) => Promise<T>): Promise<T> {
    const { path } = run;
    const lent = this.#collections.get(path) ?? new LentCollection(openCollection(run));
    this.#collections.set(path, lent);
    try {
      return await lent.use(work);
    } catch (error) {
      const isRefusal = error instanceof ApiError;
      if (!isRefusal && this.#collections.peek(path) === lent) this.#collections.delete(path);
      throw error;
    }
  }

  close(): void {
    this.#collections.clear();
  }
}

async function openCollection(run: RunDirectory): Promise<RunCollection> {
  const { RunCollection } = await analyses();
  return RunCollection.open(run);
}

/** A collection that is closed when nobody works with it any more. */
class LentCollection {
  readonly #opening: Promise<RunCollection>;
  #users = 0;
  #retired = false;

  constructor(opening: Promise<RunCollection>) {
    this.#opening = opening;
  }

  async use<T>(work: (collection: RunCollection) => Promise<T>): Promise<T> {
    this.#users++;
    try {
      return await work(await this.#opening);
    } finally {
      this.#users--;
      this.#closeIfUnused();
    }
  }

  retire(): void {
    this.#retired = true;
    this.#closeIfUnused();
  }

  #closeIfUnused(): void {
    if (!this.#retired || this.#users > 0) return;
    this.#opening.then((collection) => collection.close()).catch(() => undefined);
  }
}
