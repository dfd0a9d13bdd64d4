import type { Document } from '../../../data/index.js';
import type { PendingWrites } from '../live-searcher.js';
import type { LiveEntry } from '../log/log-record.js';

/** What every entry costs, roughly. */
const ENTRY_BYTES = 100;

/** Slots that must be superseded before it is worth building a smaller overlay. */
const MIN_SUPERSEDED = 1000;

/** What a write left under an id, from the write `sequence` on until the one numbered `until`. */
interface Slot extends LiveEntry {
  until: number;
  /** The slot that had this id before, or −1. */
  previous: number;
  bytes: number;
}

export interface OverlayCounts extends PendingWrites {
  /** Base documents that were replaced or removed. */
  hidden: number;
}

export interface OverlayOptions {
  /** Whether the base has a document. */
  inBase: (id: string) => boolean;
  /** Told of each document as it gets its slot, so that it can be found. */
  onDocument?: (slot: number, document: Document) => void;
}

/**
 * The writes on top of a base, in memory. Nothing is overwritten: each write fills new slots, and a reader with the
 * number of a write sees the slots that were in force then ("multiversion concurrency"), so a state costs nothing and
 * stays as it is.
 */
export class Overlay {
  readonly #options: OverlayOptions;
  readonly #slots: Slot[] = [];
  readonly #newest = new Map<string, number>();
  #sequence = 0;
  #counts: OverlayCounts = { documents: 0, removals: 0, bytes: 0, hidden: 0 };

  constructor(options: OverlayOptions) {
    this.#options = options;
  }

  /** The number of the last write. */
  get sequence(): number {
    return this.#sequence;
  }

  get counts(): Readonly<OverlayCounts> {
    return this.#counts;
  }

  /** Whether most slots are of no use to new readers. */
  get isWasteful(): boolean {
    const superseded = this.#slots.length - this.#newest.size;
    return superseded > Math.max(MIN_SUPERSEDED, this.#newest.size);
  }

  /** What is in force under an id now; nothing where the base has the say. */
  newest(id: string): LiveEntry | undefined {
    return this.#slots[this.#newest.get(id) ?? -1];
  }

  /** What entries would add to the counts. */
  costOf(entries: readonly LiveEntry[]): PendingWrites {
    const cost: PendingWrites = { documents: 0, removals: 0, bytes: 0 };
    for (const entry of entries) {
      const before = this.newest(entry.id);
      cost[entry.document ? 'documents' : 'removals']++;
      cost.bytes += entryBytes(entry);
      if (!before) continue;
      cost[before.document ? 'documents' : 'removals']--;
      cost.bytes -= entryBytes(before);
    }
    return cost;
  }

  /** How things stand now. */
  state(): OverlayState {
    return new OverlayState(this.#slots, this.#newest, this.#sequence, { ...this.#counts });
  }

  /** Puts one entry in force. Entries of a write come one after another; later calls have the same or a later sequence. */
  put(entry: LiveEntry): void {
    const slot = this.#slots.length;
    const previous = this.#newest.get(entry.id) ?? -1;
    const bytes = entryBytes(entry);
    if (previous >= 0) this.#supersede(this.#slots[previous], entry.sequence);
    else if (this.#options.inBase(entry.id)) this.#counts.hidden++;
    this.#slots.push({ ...entry, until: Number.POSITIVE_INFINITY, previous, bytes });
    this.#newest.set(entry.id, slot);
    this.#counts.bytes += bytes;
    if (entry.document) {
      this.#counts.documents++;
      this.#options.onDocument?.(slot, entry.document);
    } else {
      this.#counts.removals++;
    }
    this.advance(entry.sequence);
  }

  /** Notes a write that left no entries. */
  advance(sequence: number): void {
    this.#sequence = Math.max(this.#sequence, sequence);
  }

  #supersede(slot: Slot, sequence: number): void {
    slot.until = sequence;
    this.#counts.bytes -= slot.bytes;
    if (slot.document) this.#counts.documents--;
    else this.#counts.removals--;
  }
}

/** The overlay as it was after a write. */
export class OverlayState {
  readonly sequence: number;
  readonly counts: Readonly<OverlayCounts>;
  readonly #slots: readonly Slot[];
  readonly #newest: ReadonlyMap<string, number>;
  /** Later slots are later writes'. */
  readonly #end: number;

  constructor(
    slots: readonly Slot[],
    newest: ReadonlyMap<string, number>,
    sequence: number,
    counts: OverlayCounts,
  ) {
    this.#slots = slots;
    this.#newest = newest;
    this.#end = slots.length;
    this.sequence = sequence;
    this.counts = counts;
  }

  /** Whether the base's documents are as they were. */
  get isEmpty(): boolean {
    return this.counts.documents === 0 && this.counts.hidden === 0;
  }

  /** What is in force under an id; nothing where the base has the say. */
  entry(id: string): LiveEntry | undefined {
    let slot = this.#newest.get(id) ?? -1;
    while (slot >= this.#end) slot = this.#slots[slot].previous;
    return this.#slots[slot];
  }

  /** The document in a slot, if it is in force. */
  at(slot: number): (LiveEntry & { document: Document }) | undefined {
    if (slot >= this.#end) return undefined;
    const entry = this.#slots[slot];
    return entry.until > this.sequence && isDocument(entry) ? entry : undefined;
  }

  /** One more than the last slot. */
  get slots(): number {
    return this.#end;
  }

  /** Everything in force in the slots from `first` on, in the order it was written. */
  *entries(first = 0): Generator<LiveEntry> {
    for (let slot = first; slot < this.#end; slot++) {
      if (this.#slots[slot].until > this.sequence) yield this.#slots[slot];
    }
  }
}

function isDocument(entry: LiveEntry): entry is LiveEntry & { document: Document } {
  return entry.document !== undefined;
}

/** What an entry costs in memory and on disk, roughly. */
export function entryBytes({ id, document, vectors }: LiveEntry): number {
  const bytes = ENTRY_BYTES + Buffer.byteLength(id);
  if (!document) return bytes;
  const { title = '', text, metadata } = document;
  const texts = [title, text, metadata ? JSON.stringify(metadata) : ''];
  return texts.reduce((sum, each) => sum + Buffer.byteLength(each), bytes + (vectors?.byteLength ?? 0));
}
