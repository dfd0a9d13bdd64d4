import type { Recipe } from '../../recipe/recipe.js';
import { RunDirectory } from '../../run/run-directory.js';
import type { TableKind, TableRow } from './row.js';
import { type RowRecipeOptions, rowRecipe, rowRecipeIfFits, startingFrom } from './row-recipe.js';
import {
  finishedRow,
  type PlannedRun,
  planRow,
  type RowRuns,
  type TrainRowOptions,
  trainRow,
  unfinishedRuns,
} from './train-row.js';

export interface TableRunsOptions extends TrainRowOptions, RowRecipeOptions {
  table: TableKind;
}

/** The runs that led to a row's model, and the steps of all of them. */
interface Trained {
  runs: RowRuns;
  steps: number;
}

/** A row's runs, trained where that is asked for; undefined where it is not and they are not done. */
export async function runsOf(
  row: TableRow,
  options: TableRunsOptions,
  isAsked: boolean,
): Promise<Trained | undefined> {
  const first = rowBefore(row, options);
  const before = first && (await runsOf(first, options, isAsked));
  const own = isAsked ? await rowRecipe(row, options) : await rowRecipeIfFits(row, options);
  if (!own || (first && !before)) return undefined;
  const recipe = before ? await goingOn(own, before.runs.at(-1)!) : own;
  const runs = isAsked ? await trainRow(recipe, options) : await finishedRow(recipe, options);
  if (!runs) return undefined;
  const steps = recipe.stages.reduce((sum, stage) => sum + stage.steps, before?.steps ?? 0);
  return { runs: before ? [...before.runs, ...runs] : runs, steps };
}

/** The runs that are still to be trained for a row, those of the rows that it goes on from included. */
export async function trainingsOf(row: TableRow, options: TableRunsOptions): Promise<PlannedRun[]> {
  const first = rowBefore(row, options);
  const before = first ? await trainingsOf(first, options) : [];
  const own = await rowRecipe(row, options);
  // What it goes on from is not there before that is trained.
  if (before.length > 0) return [...before, ...planRow(own, options.out)];
  if (!first) return unfinishedRuns(own, options);
  const done = new RunDirectory(`${options.out}/${first.name}`);
  const left = await unfinishedRuns(await goingOn(own, done), options);
  return left.map((run) => ({ ...run, startsFrom: own.model.init }));
}

function rowBefore({ after }: TableRow, { table }: TableRunsOptions): TableRow | undefined {
  return after === undefined ? undefined : table.rows.find(({ name }) => name === after);
}

/** A recipe that starts from the last checkpoint of another run. */
async function goingOn(recipe: Recipe, run: RunDirectory): Promise<Recipe> {
  const last = (await run.steps('checkpoints')).at(-1)!;
  return startingFrom(run.stepPath('checkpoints', last), recipe);
}
