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

/**
 * What is in force: of two entries about the same query and document the later one, in whatever order they come. Those
 * that take back are kept as well, since what they take back may stand in another log.
 */
export class Judgments {
  readonly #entries = new Map<string, Map<string, JudgmentEntry>>();
  #total = 0;
  #queries = 0;
  #newest = '';

  /** How many are in force. */
  get total(): number {
    return this.#total;
  }

  /** Queries with at least one of them. */
  get queries(): number {
    return this.#queries;
  }

  /** When the newest of all was given. */
  get newest(): string {
    return this.#newest;
  }

  put(entry: JudgmentEntry): void {
    const { query, document, grade, at } = entry;
    const entries = this.#entries.get(query) ?? new Map<string, JudgmentEntry>();
    const before = entries.get(document);
    if (before !== undefined && before.at > at) return;
    if (at > this.#newest) this.#newest = at;
    const had = this.of(query).length;
    entries.set(document, entry);
    this.#entries.set(query, entries);
    this.#total += Number(grade !== null) - Number(before !== undefined && before.grade !== null);
    this.#queries += Number(this.of(query).length > 0) - Number(had > 0);
  }

  /** Those about one query. */
  of(query: string): Given[] {
    return [...(this.#entries.get(query)?.values() ?? [])].filter(isGiven);
  }

  /** All in force, query by query, in the order in which they were first judged. */
  *all(): Generator<Given> {
    for (const query of this.#entries.keys()) yield* this.of(query);
  }

  /** Also what only takes back. */
  *entries(): Generator<JudgmentEntry> {
    for (const entries of this.#entries.values()) yield* entries.values();
  }
}

function isGiven(entry: JudgmentEntry): entry is Given {
  return entry.grade !== null;
}
