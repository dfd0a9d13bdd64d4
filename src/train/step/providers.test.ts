import { expect, test } from 'vitest';
import { executionProviders, globalNorm } from '../../engine/index.js';
import { tryProvider } from '../../engine/try-provider.js';
import { nll } from '../../loss/index.js';
import { expectedLosses, loadOracle } from './oracle.fixture.js';
import { towerStep } from './tower-step.fixture.js';

/** Of losses and gradients: other providers add up in other orders, and some in fewer bits. */
const TOLERANCE = 0.02;

test.for(executionProviders().filter((name) => name !== 'cpu'))(
  'a training step on %s is that of PyTorch, where it can compute',
  async (provider, { skip }) => {
    const missing = await tryProvider(provider).catch((error: Error) => error.message);
    if (missing !== undefined) skip(missing.split('\n')[0]);
    const { spec, parameters, batch } = await loadOracle();
    const step = await towerStep({ spec, parameters, loss: nll, groups: 3, session: { provider } });
    const gradients = parameters.zerosLike();
    const { loss } = await step.addGradients(batch, gradients, { seed: 1, step: 0 });
    await step.release();
    const expected = expectedLosses.find(({ name }) => name === 'nll_pair')!;
    expect(Math.abs(loss / expected.loss - 1)).toBeLessThan(TOLERANCE);
    expect(Math.abs(globalNorm(gradients) / expected.gradientNorm - 1)).toBeLessThan(TOLERANCE);
  },
);

test('what is not there is refused with what is', async () => {
  await expect(tryProvider('abacus')).rejects.toMatchObject({
    message: expect.stringContaining('abacus'),
    hint: expect.stringContaining('this runtime has cpu'),
  });
  await tryProvider('cpu');
});
