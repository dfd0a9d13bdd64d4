import type { TableKind, TableRow } from '../table/row.js';

/** Negatives as the recipes of late interaction have them. */
const OWN_INDEX = 'stages=[{name: train, steps: 300, negatives: [in-batch, {source: ann, depth: 50}]}]';

const meBert = (rows: number): TableRow => ({
  name: `me-bert-${rows}`,
  system: `ME-BERT, ${rows} ${rows === 1 ? 'row' : 'rows'}`,
  recipe: 'me-bert',
  set: [`model.head.rows=${rows}`],
});

/**
 * Several rows a text beside one: every pair that is to be compared has the same start, steps, batches and negatives. ColBERT is
 * compared with one vector, more rows of ME-BERT with one, a Poly-encoder with the bi-encoder of its recipe.
 */
export const LATE: TableKind = {
  title: 'the table of late interaction',
  rows: [
    { name: 'single', system: 'one vector', recipe: 'base', set: [OWN_INDEX] },
    { name: 'colbert', system: 'ColBERT', recipe: 'colbert', set: [OWN_INDEX] },
    meBert(1),
    meBert(3),
    meBert(8),
    { name: 'bi-encoder', system: 'bi-encoder', recipe: 'base' },
    { name: 'poly-encoder', system: 'Poly-encoder', recipe: 'poly-encoder' },
  ],
};
