import { between, oneOf, paths, text, whole } from '../../base/settings.js';
import { requireTeachers } from '../../teacher/labeller-options.js';

/** Generated queries without those that do not lead back to their passage, or that a cross-encoder finds bad. */
export const filterKind = {
  name: 'filter',
  description:
    'generated queries that lead back to their document (round trip), and the best of them by a cross-encoder, for `examples: {name: generated, file: stage:NAME}` in later stages',
  options: {
    queries: text('a path').describe(
      'stage:NAME of a stage that generates, or a file that `nearmiss generate` wrote',
    ),
    retriever: oneOf('bm25', 'model', 'none')
      .default('bm25')
      .describe('who has to find the document: BM25, the model as it is now, or nobody'),
    depth: whole(1).default(10).describe('… among so many'),
    models: paths().optional().describe('cross-encoders that score each query with its document'),
    keep: between(0, 1, { open: 'least' })
      .default(0.3)
      .describe('the share of the queries with the best scores that stays, with `models` (doc2query−−)'),
  },
  usesModel: true,
  async require({ models }: { models?: string[] }): Promise<void> {
    await requireTeachers(models ?? []);
  },
};
