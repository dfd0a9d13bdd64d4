import { expect, test } from 'vitest';
import { TokenSteps } from './token-steps.js';

test('each step is begun when the one before has ended, and told what is new', () => {
  const told: string[] = [];
  const steps = new TokenSteps(({ label, unit, total }) => {
    told.push(`${label}: ${total} ${unit}`);
    return { advance: (units) => told.push(`+${units}`), finish: () => told.push('end') };
  });
  steps.onProgress('sample', 30, 50);
  steps.onProgress('sample', 50, 50);
  steps.onProgress('cluster', 1, 4);
  steps.onProgress('cluster', 2, 4);
  steps.onProgress('pack', 50, 50);
  steps.finish();
  expect(told).toEqual([
    ...['draw a sample of tokens: 50 tokens', '+30', '+20', 'end'],
    ...['learn centroids: 4 rounds', '+1', '+1', 'end'],
    ...['compress tokens: 50 tokens', '+50', 'end'],
  ]);
});
