import { resolve } from 'node:path';
import { loadRecipe } from '../../recipe/load.js';
import { selectRows } from '../table/row.js';
import { reproduceTable, type Table, type TableOptions, tableRecipes } from '../table/table.js';
import { scaleSteps, trainRow } from '../table/train-row.js';
import { needsTeacher, tricksTable } from './rows.js';

export interface TricksOptions extends Omit<TableOptions, 'table'> {
  /** A cross-encoder's run or folder; left out, one is trained first. */
  teacher?: string;
  /** Settings of the teacher's recipe, as `--set` has them. */
  teacherSet?: readonly string[];
  /** Candidates of a query that the teacher scores beforehand, which is most of what it costs. Default: as the recipes have it. */
  labelDepth?: number;
}

const TEACHER = { name: 'teacher', recipe: 'reranker' };

/** Trains and measures the rows of the table of tricks, after the teacher that some of them have. */
export async function reproduceTricks(options: TricksOptions): Promise<Table> {
  const { teacher = `${options.out}/${TEACHER.name}`, teacherSet = [], labelDepth } = options;
  const table = tricksTable(resolve(teacher), labelDepth);
  const all = { ...options, table };
  const isSelected = selectRows(table, options.recipes);
  // What is wrong with any row is told before a teacher is trained for it.
  await tableRecipes(all);
  if (options.teacher === undefined && table.rows.some((row) => isSelected(row) && needsTeacher(row))) {
    const { recipe } = await loadRecipe(TEACHER.recipe, { set: [...teacherSet] });
    await trainRow(scaleSteps({ ...recipe, name: TEACHER.name }, options.stepFactor), options);
  }
  return reproduceTable(all);
}
