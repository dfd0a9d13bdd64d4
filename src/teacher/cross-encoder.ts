import { labellerOptions, requireTeachers } from './labeller-options.js';
import type { PairScorer } from './pair-scorer.js';
import { teacherKind } from './teacher.js';

export const crossEncoderKind = teacherKind({
  name: 'cross-encoder',
  description:
    'trained cross-encoders (or retrievers), one or several; every score is computed once and kept for all runs',
  options: labellerOptions,
  require: ({ models }) => requireTeachers(models),
  async open({ models, normalize }, context) {
    // Recipes are read where nothing is trained, and need no engine for that.
    const { CrossEncoderTeacher, openScorer } = await import('./cross-encoder-teacher.js');
    const { session, queryOf } = context;
    const scorers: PairScorer[] = [];
    for (const model of models) {
      scorers.push(await openScorer(await context.modelFolder(model), { session }));
    }
    return new CrossEncoderTeacher({ scorers, normalize, texts: await context.texts(), queryOf });
  },
});
