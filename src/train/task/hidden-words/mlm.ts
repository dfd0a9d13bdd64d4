import type { OptionsOf } from '../../../base/registry.js';
import type { mlmTask } from '../../../recipe/tasks/mlm-task.js';
import { maskedBatch } from '../../step/masked-step.js';
import { LearnedPart } from '../learned-part.js';
import type { StageContext, Task } from '../task.js';
import { openHiddenWords } from './hidden-words-task.js';

type MlmOptions = OptionsOf<(typeof mlmTask)['options']>;

/** Opens what a stage needs to learn to guess hidden words. */
export function openMlm(options: MlmOptions, context: StageContext): Promise<Task> {
  const { recipe, stage, learns, session } = context;
  return openHiddenWords(options, context, async (guesser) => {
    const head = await guesser.head(recipe.model.init);
    return {
      part: new LearnedPart('mlm-head', head, stage),
      head,
      step: await guesser.step({ head, learns, session }),
      batches: (parts) => parts.map(maskedBatch),
    };
  });
}
