import { modelName, positive } from '../base/settings.js';
import { requireModel } from './labeller-options.js';
import { teacherKind } from './teacher.js';

export const encoderKind = teacherKind({
  name: 'encoder',
  description:
    'another retriever: its vectors (`embedding-mse`), or their inner products as scores; also as a guide that tells false negatives (`batch.guideMargin`)',
  options: {
    model: modelName().describe(
      "the retriever: of a run the best model counts; its vectors are cut to the student's size by PCA where they are longer",
    ),
    temperature: positive().default(0.05).describe('its inner products are divided by this to be scores'),
  },
  makesVectors: true,
  needsTrainingQueries: true,
  require: ({ model }) => requireModel(model),
  async open({ model, temperature }, context) {
    // Recipes are read where nothing is trained, and need no engine for that.
    const { EncoderTeacher } = await import('./encoder-teacher.js');
    return EncoderTeacher.open(await context.modelFolder(model), { temperature, context });
  },
});
