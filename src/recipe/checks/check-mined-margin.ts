import { madeBy } from '../../base/made-reference.js';
import type { Problem } from '../problems.js';
import type { Recipe } from '../recipe.js';

/** Finds margins over what a stage has mined: its table is of negatives, without the positives to compare with. */
export function checkMinedMargin({ stages }: Recipe): Problem[] {
  const problems: Problem[] = [];
  stages.forEach(({ negatives }, index) => {
    negatives.forEach((source, nth) => {
      const from = typeof source.file === 'string' ? madeBy(source.file)?.stage : undefined;
      const maker = stages.find(({ name }) => name === from)?.make?.name;
      if (maker !== 'mine') return;
      for (const field of ['margin', 'relativeMargin'].filter((name) => source[name] !== undefined)) {
        problems.push({
          level: 'error',
          keys: ['stages', index, 'negatives', nth, field],
          message: `what stage ${from} mines has no positives any more for ${field} to compare with`,
          hint: `give ${field} to the stage that mines: make: {name: mine, ${field}: …}`,
        });
      }
    });
  });
  return problems;
}
