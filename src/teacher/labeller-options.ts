import { stat } from 'node:fs/promises';
import { hasCode, NearmissError } from '../base/errors.js';
import { madeBy } from '../base/made-reference.js';
import { oneOf, paths } from '../base/settings.js';
import { NORMALIZATIONS } from './normalize.js';

/** Who scores pairs, wherever that is asked. */
export const labellerOptions = {
  models: paths().describe(
    "cross-encoders or retrievers: runs, of which the best model counts, or models' folders; of several the mean is taken",
  ),
  normalize: oneOf(...NORMALIZATIONS)
    .default('none')
    .describe(
      "before a mean is taken: nothing, or each one's scores of a query's documents to mean 0 and deviation 1 (z-score), or to 0 … 1 (min-max)",
    ),
};

/** Names that are no paths: what comes with nearmiss, and ids of a hub. `runs/` is where our own runs are. */
const NAME = /^(?:minilm|(?!runs\/)[\w-][\w.-]*\/[\w-][\w.-]*(?:@.+)?)$/;

/** What a model is wanted for, and where one comes from. */
interface Wanted {
  name: string;
  hint: string;
}

const TEACHER: Wanted = {
  name: 'teacher',
  hint: 'train it first, e.g. nearmiss train --recipe reranker --out DIR, and name it in the recipe: models: [DIR]',
};

/** Fails where a model is not there; ids of a hub are not looked up before they are needed. */
export async function requireModel(model: string, wanted: Wanted = TEACHER): Promise<void> {
  if (!NAME.test(model)) await requireFolder(model, wanted);
}

/** Fails where a model is not there; those that a stage makes come later. */
export async function requireTeachers(models: readonly string[]): Promise<void> {
  for (const model of models) await requireFolder(model, TEACHER);
}

async function requireFolder(model: string, { name, hint }: Wanted): Promise<void> {
  if (madeBy(model) !== undefined) return;
  await stat(model).catch((error) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new NearmissError(`${model}: no such ${name}`, { hint });
  });
}
