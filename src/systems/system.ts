/** What a collection can be searched with, in the order in which tables have it. */
export const SYSTEMS = ['start', 'bm25', 'hybrid', 'trained'] as const;

/**
 * `start`: the model as published, before any training. `bm25`: words alone. `trained`: the best checkpoint that has
 * learned something. `hybrid`: BM25 and the model that is served, fused with weights of the dev queries, or
 * untuned where these were made of the documents.
 */
export type SystemName = (typeof SYSTEMS)[number];

/** One system on a split. */
export interface SystemRow {
  system: SystemName;
  /** Means by measure. */
  measures: Record<string, number>;
  /** Of the paired t-test by the first measure, two-sided; absent for the start itself. */
  pValueAgainstStart?: number;
}

/** All systems on the same queries of a split. */
export interface SystemsTable {
  split: string;
  /** How many queries were measured on. */
  queries: number;
  /** The measure that p-values are of. */
  measure: string;
  rows: SystemRow[];
  /** The same on two parts of the queries, where there are both. */
  parts?: SystemsPart[];
  /** What to search with; decided on dev queries, whatever split the table is of. */
  best: SystemName;
}

/** Systems on the queries that ask for documents that training queries have, or on those that ask for others. */
export interface SystemsPart {
  documents: 'with labels' | 'without labels';
  queries: number;
  rows: SystemRow[];
}
