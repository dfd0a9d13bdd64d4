import { basename, dirname, join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { WriteAheadLog } from '../../base/log/write-ahead-log.js';
import {
  charactersOf,
  type Given,
  type JudgmentEntry,
  Judgments,
  parseJudgments,
} from '../../data/judged/judgments.js';
import { queryId, sameQuery } from '../../data/judged/query-id.js';
import { logsIn, readLog } from '../../data/judged/read-judgments.js';
import type { Judged, Judgment } from '../answers/judgments.js';

export interface JudgmentStoreOptions {
  /** Judgments in force at most. Default 200,000. */
  most?: number;
  /** Characters of all that was said, at most. Default 64 million. */
  mostCharacters?: number;
  onWarning?: (message: string) => void;
}

const MOST = 200_000;
const MOST_CHARACTERS = 64_000_000;
/** A log this many times as long as what is in force is written anew. */
const WASTE = 4;
const MIN_COMPACT_BYTES = 2 ** 20;
/** Judgments in one record of a compacted log. */
const IN_RECORD = 500;

interface Growth {
  count: number;
  characters: number;
}

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
  readonly #openLog: () => Promise<WriteAheadLog>;
  /** None before the first judgment: a collection that is only searched is left as it was. */
  #log: Promise<WriteAheadLog> | undefined;
  readonly #most: number;
  readonly #mostCharacters: number;
  readonly #onWarning: (message: string) => void;
  readonly #judgments: Judgments;
  /** Those that are being written, so that many at once do not go beyond what is allowed. */
  readonly #underWay = { count: 0, characters: 0 };
  #newest: { count: number; judgments: Given[] } | undefined;

  private constructor(
    openLog: () => Promise<WriteAheadLog>,
    judgments: Judgments,
    { most = MOST, mostCharacters = MOST_CHARACTERS, onWarning = () => undefined }: JudgmentStoreOptions,
  ) {
    this.#openLog = openLog;
    this.#judgments = judgments;
    this.#most = most;
    this.#mostCharacters = mostCharacters;
    this.#onWarning = onWarning;
  }

  /** @param folder belongs to one process at a time: whoever opens it sees to that */
  static async open(folder: string, options: JudgmentStoreOptions = {}): Promise<JudgmentStore> {
    const judgments = new Judgments();
    for (const other of await logsIn(dirname(folder))) {
      if (other === basename(folder)) continue;
      for (const entry of await readLog(join(dirname(folder), other))) judgments.put(entry);
    }
    const openLog = () =>
      WriteAheadLog.open(folder, {
        onRecord: (record, where) => {
          for (const entry of parseJudgments(record, where)) judgments.put(entry);
        },
        onWarning: options.onWarning,
      });
    const store = new JudgmentStore(openLog, judgments, options);
    if (await exists(folder)) await store.#opened();
    return store;
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
    const entries = judgments
      .map(
        ({ query, document, grade }): JudgmentEntry => ({
          ...{ query: sameQuery(query), document, grade, at },
          ...(by !== undefined && { by }),
        }),
      )
      // What nobody has said, or is just saying, need not be taken back: it would fill the log without end.
      .filter((entry) => entry.grade !== null || this.#underWay.count > 0 || this.#judgments.has(entry));
    if (entries.length === 0) return this.counts;
    const growth = {
      count: entries.filter(({ grade }) => grade !== null).length,
      characters: entries.reduce((sum, entry) => sum + charactersOf(entry), 0),
    };
    if (growth.count > 0) this.#checkRoom(growth);
    this.#grow(growth, 1);
    try {
      const log = await this.#opened();
      await log.append(Buffer.from(JSON.stringify(entries)), () => {
        for (const entry of entries) this.#judgments.put(entry);
        this.#newest = undefined;
      });
      this.#tidy(log);
    } finally {
      this.#grow(growth, -1);
    }
    return this.counts;
  }

  /** Those about one query. */
  of(query: string): Given[] {
    return this.#judgments.of(sameQuery(query));
  }

  /** The newest ones. */
  newest(count: number): Given[] {
    if (this.#newest?.count !== count) this.#newest = { count, judgments: newestOf(this.all(), count) };
    return this.#newest.judgments;
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

  async close(): Promise<void> {
    await (await this.#log)?.close();
  }

  /** The log, made where there is none yet; where that fails, the next judgment tries again. */
  #opened(): Promise<WriteAheadLog> {
    this.#log ??= this.#openLog().catch((error) => {
      this.#log = undefined;
      throw error;
    });
    return this.#log;
  }

  #grow({ count, characters }: Growth, sign: 1 | -1): void {
    this.#underWay.count += sign * count;
    this.#underWay.characters += sign * characters;
  }

  #checkRoom({ count, characters }: Growth): void {
    const { total, characters: held } = this.#judgments;
    const isFull = total + this.#underWay.count + count > this.#most;
    if (!isFull && held + this.#underWay.characters + characters <= this.#mostCharacters) return;
    const room = isFull ? String(this.#most) : `${this.#mostCharacters} characters of them`;
    throw new NearmissError(`judgments: there is room for ${room}, which are there`, {
      hint: 'export them as qrels; whoever runs the server can let it begin anew elsewhere',
    });
  }

  #tidy(log: WriteAheadLog): void {
    const { bytes, isCompacting } = log;
    if (isCompacting || bytes < MIN_COMPACT_BYTES || bytes < WASTE * this.#judgments.characters) return;
    log
      .compact(() => records([...this.#judgments.entries()]))
      .catch((error) => this.#onWarning(`judgments: ${(error as Error).message}`));
  }
}

function* records(entries: readonly JudgmentEntry[]): Generator<Buffer> {
  for (let first = 0; first < entries.length; first += IN_RECORD) {
    yield Buffer.from(JSON.stringify(entries.slice(first, first + IN_RECORD)));
  }
}

/** The newest of very many, without sorting them all: somebody waits for each request. */
function newestOf(all: Iterable<Given>, count: number): Given[] {
  const newestFirst = (a: Given, b: Given): number => (a.at < b.at ? 1 : -1);
  let best: Given[] = [];
  let oldest = '';
  for (const one of all) {
    if (one.at < oldest) continue;
    best.push(one);
    if (best.length < 4 * count) continue;
    best = best.sort(newestFirst).slice(0, count);
    oldest = best[count - 1].at;
  }
  return best.sort(newestFirst).slice(0, count);
}
