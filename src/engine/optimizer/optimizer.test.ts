import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fillNormal, ParameterStore } from '../parameters.js';
import { Random, randomKey } from '../random.js';
import { AdamW } from './adamw.js';
import { clipFactor, globalNorm, groupNorms } from './gradient-norm.js';
import { Lamb } from './lamb.js';
import { isWeightMatrix, type Optimizer, type OptimizerOptions } from './optimizer.js';

const SPECS = [
  { name: 'table.weight', shape: [40, 10] },
  { name: 'dense.bias', shape: [7] },
];

function randomStore(seed: number): ParameterStore {
  const store = new ParameterStore(SPECS);
  for (const name of store.names) fillNormal(store.get(name), 1, randomKey(seed, name));
  return store;
}

/** Gradients of which some rows are 0, as those of an embedding table are. */
function gradientsOf(step: number): ParameterStore {
  const gradients = randomStore(100 + step);
  const random = Random.from(step, 'rows');
  for (let row = 0; row < 40; row++) {
    if (random.uniform() < 0.5) gradients.get('table.weight').fill(0, row * 10, row * 10 + 10);
  }
  return gradients;
}

type Create = new (parameters: ParameterStore, options?: OptimizerOptions) => Optimizer;
const optimizers: [string, Create][] = [
  ['AdamW', AdamW],
  ['LAMB', Lamb],
];

describe.each(optimizers)('%s', (_, Chosen) => {
  test('resumed from its state it goes on as if it had never stopped', () => {
    const [whole, first] = [randomStore(1), randomStore(1)];
    const [uninterrupted, before] = [new Chosen(whole), new Chosen(first)];
    for (let step = 0; step < 6; step++) uninterrupted.update(gradientsOf(step), 1e-2);
    for (let step = 0; step < 3; step++) before.update(gradientsOf(step), 1e-2);

    const second = new ParameterStore(SPECS);
    second.copyFrom(first);
    const after = new Chosen(second);
    for (const [name, store] of Object.entries(before.state)) after.state[name].copyFrom(store);
    after.resumeAt(before.step);
    for (let step = 3; step < 6; step++) after.update(gradientsOf(step), 1e-2);
    expect(second.buffer).toEqual(whole.buffer);
    expect(after.step).toBe(6);
  });

  test('a gradient scale does what scaling the gradients would', () => {
    const [scaled, plain] = [randomStore(2), randomStore(2)];
    const [byFactor, byHand] = [new Chosen(scaled), new Chosen(plain)];
    for (let step = 0; step < 3; step++) {
      byFactor.update(gradientsOf(step), 1e-2, 0.25);
      const gradients = gradientsOf(step);
      // A power of two scales without rounding.
      for (let i = 0; i < gradients.buffer.length; i++) gradients.buffer[i] *= 0.25;
      byHand.update(gradients, 1e-2);
    }
    expect(scaled.buffer).toEqual(plain.buffer);
  });

  test('decays only what it is told to', () => {
    const parameters = randomStore(3);
    const before = randomStore(3);
    const optimizer = new Chosen(parameters, { weightDecay: 0.5, decays: isWeightMatrix });
    optimizer.update(parameters.zerosLike(), 0.1);
    expect(parameters.get('dense.bias')).toEqual(before.get('dense.bias'));
    expect(parameters.get('table.weight')).not.toEqual(before.get('table.weight'));
  });
});

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
