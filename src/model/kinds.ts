import { type Kind, Registry } from '../base/registry.js';

/** A kind of model: what everybody who reads a recipe or a run has to know of it. */
export interface ModelKind extends Kind {
  /** Whether it reads a query and a document together and gives a score, instead of making rows of each. */
  readonly readsPairs: boolean;
}

/** All kinds of models that recipes can name. */
export const modelKinds = new Registry<ModelKind>('kind of model', [
  {
    name: 'dual',
    description: 'queries and documents become vectors, each by itself',
    options: {},
    readsPairs: false,
  },
  {
    name: 'cross',
    description: 'a query and a document are read together and become a score, to rerank',
    options: {},
    readsPairs: true,
  },
]);
