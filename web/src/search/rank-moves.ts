import type { Hit, SearchMode } from '../api.js';

export interface Column {
  mode: SearchMode;
  hits: readonly Hit[];
}

/** Where a hit stands against the first column. */
export type Move =
  | { kind: 'same' }
  | { kind: 'up' | 'down'; by: number }
  /** Some other column has it, the first has not. */
  | { kind: 'new' }
  /** No other column has it. */
  | { kind: 'only' };

/** For each column after the first, each hit's move against the first; in the first, what no other found. */
export function rankMoves(columns: readonly Column[]): Map<SearchMode, Map<string, Move>> {
  const ranks = columns.map(({ hits }) => new Map(hits.map(({ id }, nth) => [id, nth + 1])));
  return new Map(
    columns.map(({ mode, hits }, column) => {
      const moves = new Map<string, Move>();
      for (const [nth, { id }] of hits.entries()) {
        const elsewhere = ranks.some((others, other) => other !== column && others.has(id));
        if (!elsewhere) moves.set(id, { kind: 'only' });
        else if (column > 0) moves.set(id, moveOf(ranks[0].get(id), nth + 1));
      }
      return [mode, moves];
    }),
  );
}

function moveOf(before: number | undefined, now: number): Move {
  if (before === undefined) return { kind: 'new' };
  if (before === now) return { kind: 'same' };
  return before > now ? { kind: 'up', by: before - now } : { kind: 'down', by: now - before };
}
