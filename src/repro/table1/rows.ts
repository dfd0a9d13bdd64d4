import { UsageError } from '../../base/errors.js';
import { suggest } from '../../base/suggest.js';

/** The trained rows of the ANCE paper's Table 1, each a built-in recipe. */
export interface Table1Row {
  system: string;
  recipe: string;
}

export const TABLE1_ROWS: readonly Table1Row[] = [
  { system: 'Rand Neg', recipe: 'rand-neg' },
  { system: 'NCE Neg', recipe: 'nce-neg' },
  { system: 'BM25 Neg', recipe: 'bm25-neg' },
  { system: 'DPR (BM25 + Rand)', recipe: 'dpr' },
  { system: 'BM25 → Rand', recipe: 'bm25-then-rand' },
  { system: 'BM25 → NCE Neg', recipe: 'bm25-then-nce' },
  { system: 'BM25 → BM25 + Rand', recipe: 'bm25-then-bm25-rand' },
  { system: 'ANCE FirstP', recipe: 'ance-firstp' },
  { system: 'ANCE MaxP', recipe: 'ance-maxp' },
];

/** Whether a row is among those whose recipes are named, which are all where none is. */
export function selectRows(names: readonly string[] | undefined): (row: Table1Row) => boolean {
  const known = TABLE1_ROWS.map(({ recipe }) => recipe);
  for (const name of names ?? []) {
    if (known.includes(name)) continue;
    const near = suggest(name, known);
    throw new UsageError(`expected recipes that are rows of Table 1, got "${name}"`, {
      hint: near ? `did you mean ${near}?` : `the rows are ${known.join(', ')}`,
    });
  }
  return ({ recipe }) => names === undefined || names.includes(recipe);
}

/** Systems that are measured without training. */
export const UNTRAINED = { bm25: 'BM25', start: 'untrained' } as const;

export const MEASURES = ['RR@10', 'R@1', 'nDCG@10', 'R@100'] as const;

/** How many of BM25's hits a dense system reranks. */
export const RERANK_DEPTH = 100;
