import type { Dataset, Document } from '../../data/index.js';
import type { Searcher } from '../searcher.js';

/** How much may be kept on top of the base; more is refused, because a rebuilt index is the better place for it. */
export interface LiveLimits {
  /** Documents added or replaced. Default 100,000. */
  documents?: number;
  /** Removed ids that have to be remembered. Default 1,000,000. */
  removals?: number;
  /** Texts, metadata and vectors together, in bytes. Default 1 GiB. */
  bytes?: number;
}

/** What is kept on top of the base. */
export interface PendingWrites {
  documents: number;
  removals: number;
  bytes: number;
}

export interface UpsertResult {
  /** The first version that has these documents. */
  version: string;
  added: number;
  replaced: number;
}

export interface RemoveResult {
  /** The first version without these documents. */
  version: string;
  /** How many of the ids there were. */
  removed: number;
}

export interface ExportCollectionOptions {
  /** Replace a BEIR folder of that name. */
  overwrite?: boolean;
  /** A collection whose queries and judgments are written, too, as far as their documents are still there. */
  labels?: Dataset;
}

export interface ExportResult {
  /** Documents written. */
  documents: number;
  /** The last write that is part of the export: what {@link LiveSearcher.forget} needs. */
  sequence: number;
}

/**
 * A searcher whose documents can be changed. A write is on disk, and every later search sees it, when its promise
 * resolves; a call's documents appear all together or not at all. Calls take effect in the order they were made.
 *
 * @example
 * const live = await openLiveSearcher(await openSearcher('runs/medquad'), { state: 'state/medquad' });
 * const { version } = await live.upsert([{ id: 'new-1', text: 'Iron tablets and anemia' }]);
 * const [hits] = await live.retriever('hybrid').search(['anemia'], { k: 10 });
 * await live.close();
 */
export interface LiveSearcher extends Searcher {
  /** `<the base's version>+<number of the last write>`. */
  readonly version: string;
  readonly pending: PendingWrites;
  /** Adds documents, or replaces those of the same ids. */
  upsert(documents: readonly Document[]): Promise<UpsertResult>;
  /** Ids that there are not are no error. */
  remove(ids: readonly string[]): Promise<RemoveResult>;
  /**
   * A searcher that stays as everything is now, whatever is written meanwhile: for answers that need several steps
   * (search, then texts). Its `close` lets go of it.
   */
  snapshot(): Searcher;
  /**
   * Puts a newer base under the writes. Searches under way finish on the old base, which is closed after the last of
   * them. Where the model is another one, the added documents are encoded anew first; writes go on meanwhile.
   */
  swap(base: Searcher): Promise<void>;
  /** Writes base and changes as a BEIR folder, to build a new index from. */
  exportCollection(folder: string, options?: ExportCollectionOptions): Promise<ExportResult>;
  /** Drops the writes up to a sequence, after a {@link swap} to a base that was built from that export. */
  forget(sequence: number): Promise<void>;
}
