import { UsageError } from '../../base/errors.js';
import { suggest } from '../../base/suggest.js';

/** A trained row of a table: a built-in recipe, or one with other settings. */
export interface TableRow {
  /** What it is asked for by, and the name of its run. */
  name: string;
  /** What the table calls it. */
  system: string;
  recipe: string;
  /** The row whose model it goes on from, by name; the model that all rows start from unless given. */
  after?: string;
  /** Settings that make it this row, as `--set` has them; they have the last word. */
  set?: readonly string[];
}

/** A table of a paper, or of several. */
export interface TableKind {
  /** For people, e.g. `Table 1`. */
  title: string;
  rows: readonly TableRow[];
  /** Default {@link MEASURES}. The first decides who is ahead. */
  measures?: readonly [string, ...string[]];
  /** Whether systems also reorder what BM25 finds. Default true. */
  reranks?: boolean;
}

/** Whether a row is among those that are named, which are all where none is, or one that these go on from. */
export function selectRows(
  { title, rows }: TableKind,
  names: readonly string[] | undefined,
): (row: TableRow) => boolean {
  const known = rows.map(({ name }) => name);
  for (const name of names ?? []) {
    if (known.includes(name)) continue;
    const near = suggest(name, known);
    throw new UsageError(`expected recipes that are rows of ${title}, got "${name}"`, {
      hint: near ? `did you mean ${near}?` : `the rows are ${known.join(', ')}`,
    });
  }
  const wanted = new Set<string>();
  const want = (name: string | undefined): void => {
    if (name === undefined) return;
    wanted.add(name);
    want(rows.find((row) => row.name === name)?.after);
  };
  for (const name of names ?? known) want(name);
  return ({ name }) => wanted.has(name);
}

/** Systems that are measured without training. */
export const UNTRAINED = { bm25: 'BM25', start: 'untrained' } as const;

export const MEASURES = ['RR@10', 'R@1', 'nDCG@10', 'R@100'] as const;

/** How many of BM25's hits a dense system reranks. */
export const RERANK_DEPTH = 100;
