import { stat } from 'node:fs/promises';
import { hasCode, NearmissError } from '../../base/errors.js';
import { openDataset } from '../../data/index.js';
import { readRun } from '../../evaluate/index.js';
import { CandidateTable, gatherExamples, listsFromTable, type RankedList } from '../../negatives/index.js';
import { listsFromRun } from '../../negatives/lists/from-run.js';
import type { NegativesRecipe } from '../../recipe/recipe.js';
import { readRunDescription } from '../../run/run-description.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { placesOf, type TrainingData } from '../../run/training-data.js';

/** Training files are JSON; every other file is a run. */
const TRAINING_FILE = /\.jsonl?(?:\.gz)?$/;

/** What the file of static negatives ranks: a training file, a TREC run, or a candidate table's folder. */
export async function staticLists(
  run: RunDirectory,
  data: TrainingData,
  recipe: NegativesRecipe,
): Promise<Iterable<RankedList>> {
  await requireStaticFile(recipe);
  const file = recipe.file!;
  if (await isFolder(file)) return listsFromTable(await CandidateTable.load(file, data.tables));
  const placeOf = placesOf(data);
  const queries = { indexOf: (id: string): number => placeOf.get(data.queries.cache.indexOf(id)) ?? -1 };
  const ids = { queries, documents: data.documents.cache };
  if (!TRAINING_FILE.test(file)) return listsFromRun(await readRun(file), ids);
  const { data: path, split } = await readRunDescription(run);
  const dataset = await openDataset(path, { examples: { [split]: file }, split });
  return (await gatherExamples(dataset.examples!(split), ids)).lists;
}

/** Asked when a run begins as well: its stage may come after hours. */
export async function requireStaticFile({ file, margin, relativeMargin }: NegativesRecipe): Promise<void> {
  if (file === undefined) {
    throw new NearmissError('negatives: source static needs a file', {
      hint: "set file: to a TREC run, a training file (.jsonl) or a candidate table's folder",
    });
  }
  if ((await isFolder(file)) && (margin ?? relativeMargin) !== undefined) {
    const name = margin === undefined ? 'relativeMargin' : 'margin';
    throw new NearmissError(
      `${file}: a candidate table has no positives any more for ${name} to compare with`,
      {
        hint: `leave ${name} out, and give it to \`nearmiss mine\` when the table is made`,
      },
    );
  }
}

async function isFolder(path: string): Promise<boolean> {
  const info = await stat(path).catch((error) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new NearmissError(`${path}: no such file or folder of static negatives`, {
      hint: "check file: in the recipe; a relative path counts from the folder where the run's command was given",
    });
  });
  return info.isDirectory();
}
