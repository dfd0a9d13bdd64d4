import { positive, text } from '../base/settings.js';
import { requireTeachers } from './labeller-options.js';
import { teacherKind } from './teacher.js';

/** A cross-encoder that is trained beside the student; `train/task/` knows how. */
export const jointKind = teacherKind({
  name: 'joint',
  description:
    "a cross-encoder that learns in the same steps, from the positive among the query's own documents (RocketQA v2); saved with every checkpoint and the best model, as `teacher`",
  options: {
    model: text('a path').describe(
      "the cross-encoder to begin with: a run, of which the best model counts, or a model's folder",
    ),
    learningRate: positive().default(1e-5).describe("the peak of the cross-encoder's own rate"),
  },
  readsBatches: true,
  require: ({ model }) => requireTeachers([model]),
});
