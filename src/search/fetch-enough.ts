import { Turn } from '../base/turn.js';

export interface FetchEnoughOptions<Found> {
  /** How many queries there are. */
  queries: number;
  /** How many candidates of each to begin with, and at most. */
  n: number;
  most: number;
  /** The best n candidates for some of the queries. */
  fetch(queries: readonly number[], n: number): Promise<Found[]>;
  /** Takes what was found for a query; false where it must be fetched again with more. */
  take(query: number, found: Found, n: number): boolean | Promise<boolean>;
  signal?: AbortSignal;
}

/** Memory for the candidates fetched at once: a number and a score each. */
const FETCH_BYTES = 64 * 2 ** 20;
const CANDIDATE_BYTES = 12;

/** Fetches candidates for each query, twice as many for those that had not enough, until all have or nothing is left. */
export async function fetchEnough<Found>(options: FetchEnoughOptions<Found>): Promise<void> {
  const { queries, most, fetch, take, signal } = options;
  let pending = Array.from({ length: queries }, (_, query) => query);
  let n = Math.min(options.n, most);
  while (pending.length > 0) {
    const unfinished: number[] = [];
    const atOnce = Math.max(1, Math.floor(FETCH_BYTES / (CANDIDATE_BYTES * n)));
    for (let first = 0; first < pending.length; first += atOnce) {
      const part = pending.slice(first, first + atOnce);
      const found = await fetch(part, n);
      const turn = await Turn.begin(signal);
      for (const [i, query] of part.entries()) {
        const taken = take(query, found[i], n);
        if (!(typeof taken === 'boolean' ? taken : await taken) && n < most) unfinished.push(query);
        // A filter that lets little through makes this look at every document.
        if (turn.isOver) await turn.next(signal);
      }
    }
    pending = unfinished;
    n = Math.min(most, 2 * n);
  }
}
