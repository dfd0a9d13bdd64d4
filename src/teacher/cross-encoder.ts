import { labellerOptions, requireTeachers } from './labeller-options.js';
import { teacherKind } from './teacher.js';

export const crossEncoderKind = teacherKind({
  name: 'cross-encoder',
  description:
    'trained cross-encoders (or retrievers), one or several; every score is computed once and kept for all runs',
  options: labellerOptions,
  require: ({ models }) => requireTeachers(models),
  async open({ models, normalize }, context) {
    // Recipes are read where nothing is trained, and need no engine for that.
    const [{ CrossEncoderTeacher }, { PairScorers }] = await Promise.all([
      import('./cross-encoder-teacher.js'),
      import('./pair-scorers.js'),
    ]);
    const { session, queryOf } = context;
    const folders = await Promise.all(models.map((model) => context.modelFolder(model)));
    const scorers = await PairScorers.open(folders, { normalize, session });
    return new CrossEncoderTeacher({ scorers, texts: await context.texts(), queryOf });
  },
});
