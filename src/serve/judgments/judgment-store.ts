import { basename, dirname, join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { WriteAheadLog } from '../../base/log/write-ahead-log.js';
import { type Given, type JudgmentEntry, Judgments, parseJudgments } from '../../data/judged/judgments.js';
import { queryId, sameQuery } from '../../data/judged/query-id.js';
import { logsIn, readLog } from '../../data/judged/read-judgments.js';
import type { Judged, Judgment } from '../answers/judgments.js';

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

/**
 * Which hits people called right or wrong. A judgment is on disk when its promise resolves, whoever else judges at the
 * same time; of two about the same query and document the later one counts. The log lies among those of other servers
 * of the same collection, and what they wrote before counts here, too.
 *
 * @example
 * const store = await JudgmentStore.open('state/judgments/here');
 * await store.judge([{ query: 'anemia', document: 'd7', grade: 1 }]);
 * await store.close();
 */
export class JudgmentStore {
  readonly #log: WriteAheadLog;
  readonly #most: number;
  readonly #onWarning: (message: string) => void;
  readonly #judgments: Judgments;
  /** Those that are being written, so that many at once do not go beyond what is allowed. */
  #underWay = 0;

  private constructor(
    log: WriteAheadLog,
    judgments: Judgments,
    { most = MOST, onWarning = () => undefined }: JudgmentStoreOptions,
  ) {
    this.#log = log;
    this.#judgments = judgments;
    this.#most = most;
    this.#onWarning = onWarning;
  }

  /** @param folder belongs to one process at a time: whoever opens it sees to that */
  static async open(folder: string, options: JudgmentStoreOptions = {}): Promise<JudgmentStore> {
    const judgments = new Judgments();
    for (const other of await logsIn(dirname(folder))) {
      if (other === basename(folder)) continue;
      for (const entry of await readLog(join(dirname(folder), other))) judgments.put(entry);
    }
    const log = await WriteAheadLog.open(folder, {
      onRecord: (record, where) => {
        for (const entry of parseJudgments(record, where)) judgments.put(entry);
      },
      onWarning: options.onWarning,
    });
    return new JudgmentStore(log, judgments, options);
  }

  /** How many are in force, and for how many queries. */
  get counts(): Judged {
    const { total, queries } = this.#judgments;
    return { total, queries };
  }

  /** Takes judgments; `grade: null` takes one back. */
  async judge(
    judgments: readonly Pick<Judgment, 'query' | 'document' | 'grade'>[],
    by?: string,
  ): Promise<Judged> {
    // What is said later counts, also where the clock was set back.
    const now = new Date().toISOString();
    const { newest } = this.#judgments;
    const at = now > newest ? now : newest;
    const entries = judgments.map(
      ({ query, document, grade }): JudgmentEntry => ({
        ...{ query: sameQuery(query), document, grade, at },
        ...(by !== undefined && { by }),
      }),
    );
    const growth = entries.filter(({ grade }) => grade !== null).length;
    if (this.#judgments.total + this.#underWay + growth > this.#most) {
      throw new NearmissError(`judgments: there is room for ${this.#most}, which are there`, {
        hint: 'export them as qrels and begin with another --state',
      });
    }
    this.#underWay += growth;
    try {
      await this.#log.append(Buffer.from(JSON.stringify(entries)), () => {
        for (const entry of entries) this.#judgments.put(entry);
      });
    } finally {
      this.#underWay -= growth;
    }
    this.#tidy();
    return this.counts;
  }

  /** Those about one query. */
  of(query: string): Given[] {
    return this.#judgments.of(sameQuery(query));
  }

  /** The newest ones. */
  newest(count: number): Given[] {
    const all = [...this.all()].sort((a, b) => (a.at < b.at ? 1 : -1));
    return all.slice(0, count);
  }

  /** Everything in force, query by query. */
  all(): Generator<Given> {
    return this.#judgments.all();
  }

  /** Queries with their ids, in the order in which they were first judged. */
  *queries(): Generator<{ id: string; text: string }> {
    const texts = new Set<string>();
    for (const { query } of this.all()) texts.add(query);
    for (const text of texts) yield { id: queryId(text), text };
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  #tidy(): void {
    const { bytes, isCompacting } = this.#log;
    if (isCompacting || bytes < MIN_COMPACT_BYTES || bytes < WASTE * this.#judgments.total * 200) return;
    this.#log
      .compact(() => records([...this.#judgments.entries()]))
      .catch((error) => this.#onWarning(`judgments: ${(error as Error).message}`));
  }
}

function* records(entries: readonly JudgmentEntry[]): Generator<Buffer> {
  for (let first = 0; first < entries.length; first += IN_RECORD) {
    yield Buffer.from(JSON.stringify(entries.slice(first, first + IN_RECORD)));
  }
}
