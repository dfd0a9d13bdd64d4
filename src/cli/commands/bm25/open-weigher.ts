import type { SessionOptions } from '../../../engine/index.js';
import { loadEncoderModel } from '../../../model/index.js';
import { FREQUENCY_DEFAULTS, type FrequencyOptions } from '../../../model/terms/document-weights.js';
import { TermWeigher } from '../../../model/terms/term-weigher.js';
import { documentSplit } from '../../../recipe/document-split.js';
import { isRun, readRunDescription } from '../../../run/run-description.js';
import { RunDirectory } from '../../../run/run-directory.js';
import { analyzerFor, type Language } from '../../../text/analyzers/index.js';
import type { SplitTokensOptions } from '../../../text/split-tokens.js';

export interface OpenedWeigher {
  weigher: TermWeigher;
  frequencies: FrequencyOptions;
  split: SplitTokensOptions;
}

/** A model that weighs words, from a run or a folder; a run says how it was trained to be used. */
export async function openWeigher(
  path: string,
  { language, session }: { language: Language; session?: SessionOptions },
): Promise<OpenedWeigher> {
  const analyzer = analyzerFor(language);
  if (!(await isRun(path))) {
    const model = await loadEncoderModel(path);
    return {
      weigher: await TermWeigher.create(model, { analyzer, session }),
      frequencies: FREQUENCY_DEFAULTS,
      split: { maxPieces: 1, pieceLength: model.maxLength },
    };
  }
  const run = new RunDirectory(path);
  const { recipe } = await readRunDescription(run);
  const model = await loadEncoderModel(run.file('best'));
  return {
    weigher: await TermWeigher.create(model, { analyzer, session }),
    frequencies: recipe.model.words,
    split: documentSplit(recipe.model),
  };
}
