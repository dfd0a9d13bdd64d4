import { type TaskPart, tasks } from '../axes.js';
import type { Problem } from '../problems.js';
import type { Recipe } from '../recipe.js';
import { stageLosses } from '../stage-loss.js';

const NOBODY = 'none';

/** Finds losses without the teacher that they need, and teachers that nobody listens to. */
export function checkTeacher(recipe: Recipe): Problem[] {
  const problems: Problem[] = [];
  let heard = recipe.teacher.name === NOBODY;
  recipe.stages.forEach((stage, index) => {
    const takes = (part: TaskPart): boolean => !stage.make && tasks.get(stage.task.name).takes.includes(part);
    const losses = takes('loss') && takes('teacher') ? stageLosses(recipe, index) : [];
    const pupils = losses.filter(({ loss }) => loss.needs?.includes('teacher'));
    const { name } = stage.teacher ?? recipe.teacher;
    if (!stage.teacher && pupils.length > 0) heard = true;
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
    } else if (stage.teacher && pupils.length === 0) {
      problems.push(unheard(['stages', index, 'teacher'], name));
    }
  });
  return heard ? problems : [...problems, unheard(['teacher'], recipe.teacher.name)];
}

function unheard(keys: Problem['keys'], name: string): Problem {
  return {
    level: 'warning',
    keys,
    message: `no loss learns from the teacher ${name}`,
    hint: 'choose a loss that does, such as margin-mse, or leave the teacher out',
  };
}
