import { setImmediate as nextTurn } from 'node:timers/promises';
import { NearmissError } from '../../base/errors.js';
import type { WriteAheadLog } from '../../base/log/write-ahead-log.js';
import { checkLimits } from './check-writes.js';
import { encodeDocuments } from './encode-documents.js';
import type { LiveLimits, PendingWrites } from './live-searcher.js';
import { encodeRecord, type LiveEntry } from './log/log-record.js';
import { snapshotRecords } from './log/snapshot-records.js';
import { Layer } from './overlay/layer.js';
import { LiveSnapshot } from './overlay/live-snapshot.js';
import { WriteQueue } from './write-queue.js';
import { WritesUnderWay } from './writes-under-way.js';

/** A log below this size is not worth a compaction. */
const MIN_COMPACT_BYTES = 4 * 2 ** 20;
/** How many times its content a log may be large. */
const COMPACT_FACTOR = 3;
/** Entries taken over into a new layer before others get their turn. */
const ENTRIES_AT_ONCE = 64;

export interface LiveStoreOptions {
  layer: Layer;
  log: WriteAheadLog;
  /** Aborted when the folder is another process's: from then on nothing is written. */
  lost: AbortSignal;
  limits: Required<LiveLimits>;
  onWarning: (message: string) => void;
}

/** What a write did. */
export interface Written {
  version: string;
  /** How many of its ids had a document before. */
  existed: number;
}

/** Keeps log and layer in step: every write is in the log before it is in the layer. */
export class LiveStore {
  readonly #log: WriteAheadLog;
  readonly #lost: AbortSignal;
  readonly #limits: Required<LiveLimits>;
  readonly #onWarning: (message: string) => void;
  readonly #queue = new WriteQueue();
  readonly #underWay = new WritesUnderWay();
  #layer: Layer;
  /** The number of the last write that was begun. */
  #sequence: number;
  /** A failed compaction is not tried again before the log has grown this large. */
  #compactAbove = 0;
  /** Replacements of the layer, one after the other. */
  #replacements: Promise<unknown> = Promise.resolve();
  #isReplacing = false;
  #closed = false;

  constructor({ layer, log, lost, limits, onWarning }: LiveStoreOptions) {
    this.#log = log;
    this.#lost = lost;
    this.#layer = layer;
    this.#limits = limits;
    this.#onWarning = onWarning;
    this.#sequence = layer.overlay.sequence;
  }

  get layer(): Layer {
    return this.#layer;
  }

  get pending(): PendingWrites {
    const { documents, removals, bytes } = this.#layer.overlay.counts;
    return { documents, removals, bytes };
  }

  snapshot(): LiveSnapshot {
    this.#checkOpen();
    return new LiveSnapshot(this.#layer);
  }

  /** Puts documents in, in the order of the calls. */
  put(prepared: Promise<{ layer: Layer; entries: LiveEntry[] }>): Promise<Written> {
    return this.#queue.inOrder(prepared, async ({ layer, entries }) => {
      const isUsable = layer.model === this.#layer.model;
      return this.#commit(isUsable ? entries : await encodeDocuments(this.#layer.base.searcher, entries));
    });
  }

  /** Takes ids out, in the order of the calls; those that there are not leave no trace. */
  async remove(ids: readonly string[]): Promise<Written> {
    this.#checkOpen();
    return this.#queue.inOrder(Promise.resolve(), async () => {
      const known = ids.filter((id) => this.#underWay.has(id) || this.#layer.has(id));
      if (known.length > 0) return this.#commit(known.map((id) => ({ id, sequence: 0 })));
      return { done: Promise.resolve({ version: this.#layer.version, existed: 0 }) };
    });
  }

  /**
   * Fills a new layer from the present one and puts it in its place; only the last step holds up writes.
   *
   * @param options.forget writes up to this number are left behind for good
   */
  replaceLayer(makeNext: () => Layer, options: { forget?: number } = {}): Promise<void> {
    const done = this.#replacements.then(async () => {
      this.#checkOpen();
      this.#isReplacing = true;
      try {
        await this.#replace(makeNext(), options.forget);
      } finally {
        this.#isReplacing = false;
      }
    });
    this.#replacements = done.catch(() => undefined);
    return done;
  }

  /** Replaces the log by a shorter one that says the same. */
  async compact(): Promise<void> {
    this.#lost.throwIfAborted();
    try {
      await this.#log.compact(() => snapshotRecords(this.#layer.state(), this.#layer.model));
      this.#compactAbove = 0;
    } catch (error) {
      this.#compactAbove = 2 * this.#log.bytes;
      throw error;
    }
  }

  /** Waits for the writes under way; later ones are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#replacements;
    await this.#queue.exclusively(() => this.#log.close());
  }

  #checkOpen(): void {
    if (this.#closed) throw new NearmissError('live documents: they are closed');
  }

  async #commit(unnumbered: readonly LiveEntry[]): Promise<{ done: Promise<Written> }> {
    this.#lost.throwIfAborted();
    const sequence = this.#sequence + 1;
    const entries = unnumbered.map((entry): LiveEntry => ({ ...entry, sequence }));
    const cost = this.#layer.overlay.costOf(entries);
    checkLimits(cost, this.#underWay.sum(this.pending, cost), this.#limits);
    this.#sequence = sequence;
    const landed = this.#underWay.add(entries, cost);
    const record = encodeRecord({ sequence, entries, model: this.#layer.model });
    const done = this.#log.append(record, () => this.#apply(entries)).finally(landed);
    done.then(
      () => this.#tidy(),
      () => undefined,
    );
    return { done };
  }

  #apply(entries: readonly LiveEntry[]): Written {
    const existed = entries.filter(({ id }) => this.#layer.has(id)).length;
    for (const entry of entries) this.#layer.overlay.put(entry);
    return { version: this.#layer.version, existed };
  }

  /** Starts what has become necessary, without making anybody wait. */
  #tidy(): void {
    if (this.#closed) return;
    const { counts, isWasteful } = this.#layer.overlay;
    if (isWasteful && !this.#isReplacing) {
      this.#inBackground(this.replaceLayer(() => new Layer(this.#layer.base, this.#layer.model)));
    }
    const threshold = Math.max(MIN_COMPACT_BYTES, COMPACT_FACTOR * counts.bytes, this.#compactAbove);
    if (this.#log.bytes > threshold && !this.#log.isCompacting) this.#inBackground(this.compact());
  }

  #inBackground(work: Promise<void>): void {
    work.catch((error) => {
      if (!this.#closed) this.#onWarning(`live documents: ${error.message}`);
    });
  }

  async #replace(next: Layer, forget?: number): Promise<void> {
    let from = 0;
    let taken = 0;
    do {
      from = taken;
      taken = await this.#takeOver(next, from, forget);
    } while (taken - from > ENTRIES_AT_ONCE);
    await this.#queue.exclusively(async () => {
      await this.#takeOver(next, taken, forget);
      if (forget === undefined) return this.#switchTo(next);
      this.#lost.throwIfAborted();
      const sequence = ++this.#sequence;
      const record = encodeRecord({ sequence, entries: [], forget });
      await this.#log.append(record, () => this.#switchTo(next));
    });
  }

  #switchTo(next: Layer): void {
    next.overlay.advance(this.#sequence);
    this.#layer = next;
  }

  /** Puts what was written from a slot on into another layer; gives the slot to go on from. */
  async #takeOver(next: Layer, first: number, forget = -1): Promise<number> {
    const writes = this.#layer.state();
    const isSameModel = next.model === this.#layer.model;
    let waiting: LiveEntry[] = [];
    const put = async (): Promise<void> => {
      this.#checkOpen();
      const entries = isSameModel ? waiting : await encodeDocuments(next.base.searcher, waiting);
      for (const entry of entries) next.overlay.put(entry);
      waiting = [];
      await nextTurn();
    };
    for (const entry of writes.entries(first)) {
      if (entry.sequence > forget) waiting.push(entry);
      if (waiting.length === ENTRIES_AT_ONCE) await put();
    }
    await put();
    return writes.slots;
  }
}
