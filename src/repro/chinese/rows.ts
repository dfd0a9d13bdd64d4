import type { TableKind, TableRow } from '../table/row.js';

/** A stage that learns from documents alone, in the place of the one that learns from labels. */
const SIMCSE = [
  'examples=same-text',
  'stages=[{name: simcse, steps: 400, task: {name: retrieval, projector: true}, negatives: [in-batch], batch: {queries: 64}}]',
];
/** From scratch many updates pass before more is learned than how frequent words are. */
const HIDDEN_WORDS = ['stages=[{name: mlm, steps: 4000, task: mlm, batch: {queries: 16}}]'];

const row = (name: string, system: string, more: Partial<TableRow> = {}): TableRow => ({
  name,
  system,
  recipe: 'chinese',
  ...more,
});

/**
 * What pretraining on documents is worth before labels are learned from, as Baidu's table of the neural search pipeline of
 * PaddleNLP has it: the supervised baseline learns pairs with one random negative each.
 */
export const CHINESE: TableKind = {
  title: 'the Chinese table',
  measures: ['R@1', 'R@5', 'R@10', 'R@20', 'R@50'],
  reranks: false,
  rows: [
    row('baseline', 'supervised baseline', {
      set: ['stages.train.negatives=[{source: random, count: 1}]', 'loss={name: nll, temperature: 0.05}'],
    }),
    row('in-batch', 'in-batch negatives'),
    row('simcse', 'SimCSE', { set: SIMCSE }),
    row('simcse-in-batch', 'SimCSE + in-batch', { after: 'simcse' }),
    row('domain', 'domain-adaptive', { set: HIDDEN_WORDS }),
    row('domain-simcse', 'domain-adaptive + SimCSE', { set: SIMCSE, after: 'domain' }),
    row('domain-simcse-in-batch', 'domain-adaptive + SimCSE + in-batch', { after: 'domain-simcse' }),
  ],
};

/** Settings of rows that start from a model that is there: its own sizes, and smaller steps. */
export function fromModel(init: string): string[] {
  return [
    `model.init=${JSON.stringify(init)}`,
    ...['layers', 'hiddenSize', 'heads', 'vocabularySize'].map((size) => `model.${size}=null`),
    'optimizer.learningRate=3e-5',
  ];
}
