import { modelName, positive } from '../base/settings.js';
import { requireModel } from './labeller-options.js';
import { teacherKind } from './teacher.js';

export const encoderKind = teacherKind({
  name: 'encoder',
  description:
    'another retriever: its scores, by one vector a text or by late interaction, or its vectors (`embedding-mse`); also as a guide that tells false negatives (`batch.guideMargin`)',
  options: {
    model: modelName().describe(
      "the retriever: of a run the best model counts; its vectors are cut to the student's size by PCA where they are longer",
    ),
    temperature: positive()
      .optional()
      .describe('its scores are divided by this; .05 where they are cosines, and else 1, unless given'),
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
