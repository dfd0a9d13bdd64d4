import { oneOf } from '../../base/settings.js';
import { rankedOptions } from '../../negatives/ranked-options.js';

const { count: _, sampling: __, ...mining } = rankedOptions;

/** Candidates for negatives, mined once: what a later stage samples as `static` (DPR's own mined round). */
export const mineKind = {
  name: 'mine',
  description: 'candidates for negatives, for `source: static` with `file: stage:NAME` in later stages',
  options: {
    ...mining,
    retriever: oneOf('model', 'bm25')
      .default('model')
      .describe('what ranks: the model as it is now, or BM25'),
  },
  usesModel: true,
  usesQueries: true,
};
