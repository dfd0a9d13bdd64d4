import { expect, test } from 'vitest';
import { loadRecipe } from '../../recipe/load.js';
import { planRun } from '../../run/plan.js';
import { scaleSteps } from './train-row.js';

test('fewer steps for what learns; what makes data takes as many as ever', async () => {
  const set = [
    'stages=[{name: pool, make: {name: mine}}, {name: learn, steps: 40, negatives: [{source: static, file: "stage:pool"}]}]',
  ];
  const { recipe } = await loadRecipe('tiny', { set });
  const scaled = scaleSteps(recipe, 0.1);
  expect(scaled.stages.map(({ steps }) => steps)).toEqual([0, 4]);
  expect(planRun(scaled).totalSteps).toBe(4);
});
