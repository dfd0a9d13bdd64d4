import { NearmissError } from '../../../base/errors.js';
import type { OptionsOf } from '../../../base/registry.js';
import { batchByTokens } from '../../../model/encoder/packed-batch.js';
import type { MaskedText } from '../../../model/mlm/mask-words.js';
import type { retroMaeTask } from '../../../recipe/tasks/retromae-task.js';
import { retroMaeBatches } from '../../step/retromae-step.js';
import { LearnedPart } from '../learned-part.js';
import type { StageContext, Task } from '../task.js';
import { openHiddenWords } from './hidden-words-task.js';

type RetroMaeOptions = OptionsOf<(typeof retroMaeTask)['options']>;

/** Opens what a stage needs to learn vectors from which texts can be rebuilt. */
export function openRetroMae(options: RetroMaeOptions, context: StageContext): Promise<Task> {
  const { recipe, stage, learns, session } = context;
  return openHiddenWords(options, context, async ({ rebuilder }) => {
    if (!rebuilder) {
      throw new NearmissError(`stage ${stage.name}: its model has no pooled vector to rebuild texts from`, {
        hint: 'set model.head.pooling=mean, or first',
      });
    }
    const { beside, head } = await rebuilder.start(recipe.model.init, recipe.seed);
    const { decoderShare: share, wholeWords } = options;
    return {
      part: new LearnedPart('retromae', beside, stage),
      head,
      step: await rebuilder.step({ beside, share, wholeWords, learns, session }),
      batches: (parts) => retroMaeBatches(parts.flatMap((texts) => ofTokens(texts, options.tokens))),
    };
  });
}

/** Texts of similar length together: a batch needs a number for every token and word of the vocabulary. */
function ofTokens(texts: readonly MaskedText[], tokenBudget: number): MaskedText[][] {
  const lengths = texts.map(({ ids }) => ids.length);
  return batchByTokens(lengths, { tokenBudget }).map((members) => members.map((member) => texts[member]));
}
