/** A passage that queries are to be written for. */
export interface Passage {
  /** What draws for it depend on, so that they do not depend on what else is asked for at the same time. */
  key: number;
  text: string;
}

/** What writing has taken so far. */
export interface Spent {
  /** Tokens that were written. */
  tokens: number;
  /** Tokens that were read, where somebody counts them. */
  read: number;
  /** Requests that had to be sent again, for generators elsewhere. */
  retries: number;
  /** Passages that a service wrote nothing for, and why it was the last time. */
  without?: { passages: number; reason: string };
  /** In the currency of the prices that were given. */
  cost?: number;
}

/** Writes queries that a passage answers: a model of our own, or a service elsewhere. */
export interface QueryGenerator {
  /** What it is called in messages. */
  readonly name: string;
  /** Stands for everything that its queries depend on besides the passage. */
  readonly fingerprint: string;
  readonly spent: Spent;
  /** Passages that it takes together: what a kill loses at most. */
  readonly atOnce: number;
  /** Queries for each passage; of some there may be fewer than were asked for, where several came out the same. */
  generate(passages: readonly Passage[]): Promise<string[][]>;
  close(): Promise<void>;
}

/** The queries of a passage as they are kept: trimmed, none empty, none twice. */
export function distinctQueries(queries: readonly string[]): string[] {
  const found = new Map<string, string>();
  for (const query of queries) {
    const clean = query.replace(/\s+/g, ' ').trim();
    const known = clean.toLowerCase();
    if (clean !== '' && !found.has(known)) found.set(known, clean);
  }
  return [...found.values()];
}
