import type { TableKind, TableRow } from '../table/row.js';

const row = (recipe: string, system: string): TableRow => ({ name: recipe, system, recipe });

/** The trained rows of the ANCE paper's Table 1, each a built-in recipe. */
export const TABLE1: TableKind = {
  title: 'Table 1',
  rows: [
    row('rand-neg', 'Rand Neg'),
    row('nce-neg', 'NCE Neg'),
    row('bm25-neg', 'BM25 Neg'),
    row('dpr', 'DPR (BM25 + Rand)'),
    row('bm25-then-rand', 'BM25 → Rand'),
    row('bm25-then-nce', 'BM25 → NCE Neg'),
    row('bm25-then-bm25-rand', 'BM25 → BM25 + Rand'),
    row('ance-firstp', 'ANCE FirstP'),
    row('ance-maxp', 'ANCE MaxP'),
  ],
};
