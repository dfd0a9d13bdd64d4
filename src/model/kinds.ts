import { type Kind, Registry } from '../base/registry.js';

/** A kind of model: what everybody who reads a recipe or a run has to know of it. */
export interface ModelKind extends Kind {
  /** Whether it reads a query and a document together and gives a score, instead of making rows of each. */
  readonly readsPairs: boolean;
  /** Whether it cuts a pair as a whole, so that either text may need all the room. */
  readonly joinsTexts?: boolean;
  /** Whether it learns to write texts, which is a task of its own. */
  readonly writes?: boolean;
  /** Whether it learns what words count for, which is a task of its own; documents are found by words, not by rows. */
  readonly weighs?: boolean;
  /** What it is called in sentences. */
  readonly noun: string;
}

/** All kinds of models that recipes can name. */
export const modelKinds = new Registry<ModelKind>('kind of model', [
  {
    name: 'dual',
    description: 'queries and documents become vectors, each by itself',
    options: {},
    readsPairs: false,
    noun: 'a dual encoder',
  },
  {
    name: 'cross',
    description: 'a query and a document are read together and become a score, to rerank',
    options: {},
    readsPairs: true,
    joinsTexts: true,
    noun: 'a cross-encoder',
  },
  {
    name: 'seq2seq',
    description: 'a document is read and queries that it answers are written (`task: generate`)',
    options: {},
    readsPairs: true,
    writes: true,
    noun: 'a query generator',
  },
  {
    name: 'terms',
    description: 'words get weights that BM25 counts by (`task: term-weights`)',
    options: {},
    readsPairs: false,
    weighs: true,
    noun: 'a model that weighs words',
  },
]);

/** Whether models of a kind make rows of texts, by which documents are found, compared and drawn. */
export function makesRows(kind: string): boolean {
  const { readsPairs, weighs } = modelKinds.get(kind);
  return !readsPairs && !weighs;
}
