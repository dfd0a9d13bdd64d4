import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ParameterStore } from '../parameters.js';
import { AdamW } from './adamw.js';
import { clipFactor, globalNorm, groupNorms } from './gradient-norm.js';
import { optimizers } from './kinds.js';
import { optimizerConformance, randomStore } from './optimizer.conformance.js';

for (const kind of optimizers.kinds) optimizerConformance(kind);

test('AdamW equals its definition number by number, whether rows were touched or not', () => {
  const parameters = new ParameterStore([{ name: 'w', shape: [600] }]);
  parameters.buffer.fill(2);
  const optimizer = new AdamW(parameters, { weightDecay: 0.1 });
  const gradients = parameters.zerosLike();
  let [w, m, v] = [2, 0, 0];
  let untouched = 2;
  for (let step = 1; step <= 5; step++) {
    const g = step === 2 ? 0 : 1 / step;
    gradients.buffer[599] = g;
    optimizer.update(gradients, 0.01);
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    const corrected = Math.sqrt(v / (1 - 0.999 ** step)) + 1e-8;
    w = w * (1 - 0.01 * 0.1) - (0.01 * (m / (1 - 0.9 ** step))) / corrected;
    untouched *= 1 - 0.01 * 0.1;
    expect(parameters.buffer[599]).toBeCloseTo(w, 5);
    expect(parameters.buffer[0]).toBeCloseTo(untouched, 5);
  }
});

test('a number whose gradient stops coasts on its momentum', () => {
  const parameters = new ParameterStore([{ name: 'w', shape: [1] }]);
  const optimizer = new AdamW(parameters, { weightDecay: 0 });
  const gradients = parameters.zerosLike();
  gradients.buffer[0] = 1;
  optimizer.update(gradients, 0.1);
  const [after] = parameters.buffer;
  optimizer.update(parameters.zerosLike(), 0.1);
  expect(parameters.buffer[0]).toBeLessThan(after);
});

describe('clipping', () => {
  const numbers = fc.array(fc.float({ min: -100, max: 100, noNaN: true }), { minLength: 1, maxLength: 50 });

  test('the clipped norm is the smaller of norm and limit', () => {
    fc.assert(
      fc.property(numbers, fc.double({ min: 0.01, max: 100, noNaN: true }), (values, limit) => {
        const store = new ParameterStore([{ name: 'g', shape: [values.length] }]);
        store.buffer.set(values);
        const norm = globalNorm(store);
        expect(norm).toBeCloseTo(Math.hypot(...store.buffer), 6);
        const clipped = norm * clipFactor(norm, limit);
        expect(clipped).toBeLessThanOrEqual(limit);
        if (norm < limit - 1e-5) expect(clipped).toBe(norm);
        else expect(clipped).toBeGreaterThan(limit * (1 - 1e-6 / Math.max(norm, 1e-3)) - 1e-6);
      }),
    );
  });

  test('groups add up to the whole', () => {
    const store = randomStore(4);
    const groups = groupNorms(store, (name) => name.split('.')[0]);
    expect(Object.keys(groups)).toEqual(['table', 'dense']);
    expect(Math.hypot(...Object.values(groups))).toBeCloseTo(globalNorm(store), 10);
  });
});
