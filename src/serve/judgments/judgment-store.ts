import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { WriteAheadLog } from '../../base/log/write-ahead-log.js';
import type { Judged, Judgment } from '../answers/judgments.js';
import { queryId, sameQuery } from './query-id.js';

export interface JudgmentStoreOptions {
  /** Judgments in force at most. Default 200,000. */
  most?: number;
  onWarning?: (message: string) => void;
}

const MOST = 200_000;
/** A log this many times as long as what is in force is written anew. */
const WASTE = 4;
const MIN_COMPACT_BYTES = 2 ** 20;
/** Judgments in one record of a compacted log. */
const IN_RECORD = 500;

const recordSchema = z.array(
  z.object({
    query: z.string(),
    document: z.string(),
    grade: z.int().nullable(),
    at: z.string(),
    by: z.string().optional(),
  }),
);

type Entry = z.infer<typeof recordSchema>[number];

/**
 * Which hits people called right or wrong. A judgment is on disk when its promise resolves, whoever else judges at the
 * same time; of two about the same query and document the later one counts.
 *
 * @example
 * const store = await JudgmentStore.open('state/judgments');
 * await store.judge([{ query: 'anemia', document: 'd7', grade: 1 }]);
 * await store.close();
 */
export class JudgmentStore {
  readonly #log: WriteAheadLog;
  readonly #most: number;
  readonly #onWarning: (message: string) => void;
  readonly #entries: Map<string, Map<string, Entry>>;
  #total: number;
  /** Those that are being written, so that many at once do not go beyond what is allowed. */
  #underWay = 0;

  private constructor(
    log: WriteAheadLog,
    entries: Map<string, Map<string, Entry>>,
    { most = MOST, onWarning = () => undefined }: JudgmentStoreOptions,
  ) {
    this.#log = log;
    this.#entries = entries;
    this.#most = most;
    this.#onWarning = onWarning;
    this.#total = [...entries.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** @param folder belongs to one process at a time: whoever opens it sees to that */
  static async open(folder: string, options: JudgmentStoreOptions = {}): Promise<JudgmentStore> {
    const entries = new Map<string, Map<string, Entry>>();
    const log = await WriteAheadLog.open(folder, {
      onRecord: (record, where) => {
        for (const entry of parse(record, where)) put(entries, entry);
      },
      onWarning: options.onWarning,
    });
    return new JudgmentStore(log, entries, options);
  }

  /** How many are in force, and for how many queries. */
  get counts(): Judged {
    return { total: this.#total, queries: this.#entries.size };
  }

  /** Takes judgments; `grade: null` takes one back. */
  async judge(
    judgments: readonly Pick<Judgment, 'query' | 'document' | 'grade'>[],
    by?: string,
  ): Promise<Judged> {
    const at = new Date().toISOString();
    const entries = judgments.map(
      ({ query, document, grade }): Entry => ({
        ...{ query: sameQuery(query), document, grade, at },
        ...(by !== undefined && { by }),
      }),
    );
    const growth = entries.filter(({ grade }) => grade !== null).length;
    if (this.#total + this.#underWay + growth > this.#most) {
      throw new NearmissError(`judgments: there is room for ${this.#most}, which are there`, {
        hint: 'export them as qrels and begin with another --state',
      });
    }
    this.#underWay += growth;
    try {
      await this.#log.append(Buffer.from(JSON.stringify(entries)), () => {
        for (const entry of entries) this.#total += put(this.#entries, entry);
      });
    } finally {
      this.#underWay -= growth;
    }
    this.#tidy();
    return this.counts;
  }

  /** Those about one query. */
  of(query: string): Judgment[] {
    return [...(this.#entries.get(sameQuery(query))?.values() ?? [])];
  }

  /** The newest ones. */
  newest(count: number): Judgment[] {
    const all = [...this.all()].sort((a, b) => (a.at < b.at ? 1 : -1));
    return all.slice(0, count);
  }

  /** Everything in force, query by query. */
  *all(): Generator<Entry> {
    for (const entries of this.#entries.values()) yield* entries.values();
  }

  /** Queries with their ids, in the order in which they were first judged. */
  *queries(): Generator<{ id: string; text: string }> {
    for (const text of this.#entries.keys()) yield { id: queryId(text), text };
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  #tidy(): void {
    const { bytes, isCompacting } = this.#log;
    if (isCompacting || bytes < MIN_COMPACT_BYTES || bytes < WASTE * this.#total * 200) return;
    this.#log
      .compact(() => records([...this.all()]))
      .catch((error) => this.#onWarning(`judgments: ${(error as Error).message}`));
  }
}

function* records(entries: readonly Entry[]): Generator<Buffer> {
  for (let first = 0; first < entries.length; first += IN_RECORD) {
    yield Buffer.from(JSON.stringify(entries.slice(first, first + IN_RECORD)));
  }
}

/** Gives by how many the number of judgments in force has changed. */
function put(all: Map<string, Map<string, Entry>>, entry: Entry): number {
  const { query, document, grade } = entry;
  const entries = all.get(query) ?? new Map<string, Entry>();
  const before = entries.size;
  if (grade === null) entries.delete(document);
  else entries.set(document, entry);
  if (entries.size === 0) all.delete(query);
  else all.set(query, entries);
  return entries.size - before;
}

function parse(record: Buffer, where: string): Entry[] {
  const { data, error } = recordSchema.safeParse(JSON.parse(record.toString()));
  if (data) return data;
  throw new NearmissError(`${where}: not a record of judgments: ${error.message}`, {
    hint: 'it was made by another version of nearmiss',
  });
}
