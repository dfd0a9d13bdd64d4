import { teachers } from '../../teacher/kinds.js';
import { type TaskPart, tasks } from '../axes.js';
import type { Problem } from '../problems.js';
import type { Recipe } from '../recipe.js';
import { type StageLoss, stageLosses } from '../stage-loss.js';
import { refuseWithoutVectors } from './one-vector.js';

const NOBODY = 'none';

/** Finds losses without the teacher that they need, and teachers that nobody listens to. */
export function checkTeacher(recipe: Recipe): Problem[] {
  const problems: Problem[] = [];
  let heard = recipe.teacher.name === NOBODY;
  recipe.stages.forEach((stage, index) => {
    const takes = (part: TaskPart): boolean => !stage.make && tasks.get(stage.task.name).takes.includes(part);
    const losses = takes('loss') && takes('teacher') ? stageLosses(recipe, index) : [];
    problems.push(...losses.flatMap(checkOwnTeacher));
    const pupils = losses.filter(({ recipe: { teacher }, loss: { needs } }) =>
      needs?.some((need) => need === 'vectors' || (need === 'teacher' && !teacher)),
    );
    const { name } = stage.teacher ?? recipe.teacher;
    const guides = takes('batch') && { ...recipe.batch, ...stage.batch }.guideMargin !== undefined;
    if (!stage.teacher && (pupils.length > 0 || guides)) heard = true;
    problems.push(...checkVectors(recipe, name, pupils));
    const frozen = stage.freeze.find((part) => part === 'queries' || part === 'documents');
    if (frozen && takes('teacher') && teachers.get(name).readsBatches) {
      problems.push({
        level: 'error',
        keys: ['stages', index, 'freeze'],
        message: `the teacher ${name} reads the texts of batches, and frozen ${frozen} come as vectors`,
        hint: `leave ${frozen} out of freeze, or take the teacher cross-encoder`,
      });
    }
    if (name === NOBODY) {
      problems.push(
        ...pupils.map(
          ({ recipe: loss, at }): Problem => ({
            level: 'error',
            keys: at('name'),
            message: `${loss.name} learns from a teacher, and there is none`,
            hint: 'set teacher, for example to {name: stored, file: scores.run}',
          }),
        ),
      );
      if (guides) problems.push(unguided(recipe, index));
    } else if (stage.teacher && pupils.length === 0 && !guides) {
      problems.push(unheard(['stages', index, 'teacher'], name));
    }
  });
  return heard ? problems : [...problems, unheard(['teacher'], recipe.teacher.name)];
}

/** A loss's own teacher gives scores, and is there before the run begins. */
function checkOwnTeacher({ recipe: { name, teacher }, loss: { needs }, at }: StageLoss): Problem[] {
  if (!teacher) return [];
  const keys = [...at('teacher'), 'name'];
  if (!needs?.includes('teacher')) return [unheard(at('teacher'), teacher.name)];
  if (teacher.name === NOBODY) {
    const hint = 'leave it out where the loss learns from the teacher of the stage';
    return [{ level: 'error', keys, message: `${name} learns from a teacher, and none is named here`, hint }];
  }
  // Those that learn with the student are opened by the stage, one a stage.
  if (teachers.get(teacher.name).open) return [];
  const message = `${teacher.name} learns with the student, and teaches a whole stage`;
  return [{ level: 'error', keys, message, hint: `set teacher of the stage or recipe to ${teacher.name}` }];
}

/** Vectors are learned from whoever makes some, by whoever has one for each text. */
function checkVectors({ model }: Recipe, teacher: string, pupils: readonly StageLoss[]): Problem[] {
  const others = 'margin-mse or kl';
  return pupils.flatMap((pupil): Problem[] => {
    const { recipe, loss, at } = pupil;
    if (!loss.needs?.includes('vectors')) return [];
    const problem = refuseWithoutVectors(model, pupil, { pairs: others, rows: others });
    if (problem) return [problem];
    if (teacher === NOBODY || teachers.get(teacher).makesVectors) return [];
    const message = `${recipe.name} learns vectors, and the teacher ${teacher} has none`;
    const hint = `set teacher to {name: encoder, model: minilm}, or take ${others}`;
    return [{ level: 'error', keys: at('name'), message, hint }];
  });
}

function unguided(recipe: Recipe, index: number): Problem {
  const own = recipe.stages[index].batch?.guideMargin !== undefined;
  return {
    level: 'error',
    keys: [...(own ? ['stages', index] : []), 'batch', 'guideMargin'],
    message: 'a teacher guides what counts as a negative, and there is none',
    hint: 'set teacher, for example to {name: encoder, model: minilm}',
  };
}

function unheard(keys: Problem['keys'], name: string): Problem {
  return {
    level: 'warning',
    keys,
    message: `no loss learns from the teacher ${name}`,
    hint: 'choose a loss that does, such as margin-mse, or leave the teacher out',
  };
}
