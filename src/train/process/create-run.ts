import { stringify } from 'yaml';
import { writeDirectoryAtomic, writeFileAtomic } from '../../base/files.js';
import { checkContents } from '../../base/folders/folder-contents.js';
import { requireWritable } from '../../base/folders/writable.js';
import { CREATED_BY } from '../../base/version.js';
import { fingerprintRecipe } from '../../recipe/fingerprint.js';
import { writeModelManifest } from '../../run/checked-folder.js';
import { writeRunJudged } from '../../run/collection/judged.js';
import { fingerprintData } from '../../run/data-fingerprint.js';
import { writeRunDescription } from '../../run/run-description.js';
import { BEGUN_FOLDER, RunDirectory, START_FOLDER } from '../../run/run-directory.js';
import { trainedKinds } from '../model/kinds.js';
import { publishedModel } from './published-model.js';
import { requireTrainable } from './run-requirements.js';
import { type NewRun, settleRun } from './settle-run.js';

/**
 * Makes a run's folder, with its recipe and the model it starts from. `run.json` appears last.
 *
 * @param options.recipeText the recipe as `recipe.yaml` is to show it, e.g. with the origin of each value
 */
export async function createRun(
  path: string,
  newRun: NewRun,
  options: { quiet?: boolean; recipeText?: string } = {},
): Promise<RunDirectory> {
  const run = new RunDirectory(path);
  const { split } = newRun;
  await checkContents(path, BEGUN_FOLDER);
  await requireWritable(path, 'choose a folder you may write to with --out');
  const { dataset, recipe, heldOut, judged } = await settleRun(newRun);
  await requireTrainable(dataset, recipe, split);
  const published = await publishedModel(recipe.model);
  // The model may take long, or fail: until it is there, nothing is made that would be left behind.
  const model = await trainedKinds.get(recipe.model.kind).start(recipe, dataset, options);
  await run.create();
  const fill = async (folder: string): Promise<void> => {
    await model.fill(folder, { onnx: false });
    await writeModelManifest(folder);
  };
  await writeDirectoryAtomic(run.file(START_FOLDER), fill, { replaces: 'anything' });
  if (judged) await writeRunJudged(run, judged);
  await writeFileAtomic(run.file('recipe.yaml'), options.recipeText ?? stringify(recipe));
  const dataFingerprint = await fingerprintData(dataset, [split, recipe.evaluation.split]);
  await writeRunDescription(run, {
    format: 1,
    ...newRun,
    recipe,
    recipeFingerprint: fingerprintRecipe(recipe),
    ...(heldOut && { heldOut }),
    ...(published !== undefined && { published }),
    dataFingerprint,
    createdBy: CREATED_BY,
  });
  return run;
}
