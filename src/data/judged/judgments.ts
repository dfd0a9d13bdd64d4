import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';

const recordSchema = z.array(
  z.object({
    query: z.string(),
    document: z.string(),
    grade: z.int().nullable(),
    at: z.string(),
    by: z.string().optional(),
  }),
);

/** What somebody said of a hit, and when; a grade of `null` takes back what was said before. */
export type JudgmentEntry = z.infer<typeof recordSchema>[number];

/** One that is in force. */
export type Given = JudgmentEntry & { grade: number };

/** The entries of one record of a log. */
export function parseJudgments(record: Buffer, where: string): JudgmentEntry[] {
  const { data, error } = recordSchema.safeParse(JSON.parse(record.toString()));
  if (data) return data;
  throw new NearmissError(`${where}: not a record of judgments: ${error.message}`, {
    hint: 'it was made by another version of nearmiss',
  });
}

/** What was said about one query. */
interface QueryEntries {
  entries: Map<string, JudgmentEntry>;
  /** How many of them are in force. */
  given: number;
}

/** What an entry takes in a log besides its query and its document. */
const ENTRY_CHARACTERS = 100;

/** About how long an entry is in a log. */
export function charactersOf({ query, document }: Pick<JudgmentEntry, 'query' | 'document'>): number {
  return query.length + document.length + ENTRY_CHARACTERS;
}

/**
 * What is in force: of two entries about the same query and document the later one, in whatever order they come. Those
 * that take back are kept as well, since what they take back may stand in another log.
 */
export class Judgments {
  readonly #entries = new Map<string, QueryEntries>();
  #total = 0;
  #queries = 0;
  #characters = 0;
  #newest = '';

  /** How many are in force. */
  get total(): number {
    return this.#total;
  }

  /** Queries with at least one of them. */
  get queries(): number {
    return this.#queries;
  }

  /** About how long all entries are in a log. */
  get characters(): number {
    return this.#characters;
  }

  /** When the newest of all was given. */
  get newest(): string {
    return this.#newest;
  }

  put(entry: JudgmentEntry): void {
    const { query, document, grade, at } = entry;
    const about = this.#entries.get(query) ?? { entries: new Map<string, JudgmentEntry>(), given: 0 };
    const before = about.entries.get(document);
    if (before !== undefined && before.at > at) return;
    if (at > this.#newest) this.#newest = at;
    const more = Number(grade !== null) - Number(before !== undefined && before.grade !== null);
    this.#queries += Number(about.given + more > 0) - Number(about.given > 0);
    this.#total += more;
    if (before === undefined) this.#characters += charactersOf(entry);
    about.given += more;
    about.entries.set(document, entry);
    this.#entries.set(query, about);
  }

  /** Whether anything was said about a hit, also what was taken back. */
  has({ query, document }: Pick<JudgmentEntry, 'query' | 'document'>): boolean {
    return this.#entries.get(query)?.entries.has(document) ?? false;
  }

  /** Those about one query. */
  of(query: string): Given[] {
    return [...(this.#entries.get(query)?.entries.values() ?? [])].filter(isGiven);
  }

  /** All in force, query by query, in the order in which they were first judged. */
  *all(): Generator<Given> {
    for (const query of this.#entries.keys()) yield* this.of(query);
  }

  /** Also what only takes back. */
  *entries(): Generator<JudgmentEntry> {
    for (const { entries } of this.#entries.values()) yield* entries.values();
  }
}

function isGiven(entry: JudgmentEntry): entry is Given {
  return entry.grade !== null;
}
