import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fillNormal, ParameterStore } from '../parameters.js';
import { Random, randomKey } from '../random.js';
import type { OptimizerKind, SharedOptions } from './kinds.js';
import { isWeightMatrix, type Optimizer } from './optimizer.js';

const SPECS = [
  { name: 'table.weight', shape: [40, 10] },
  { name: 'dense.bias', shape: [7] },
];

/** A small store of random numbers. */
export function randomStore(seed: number): ParameterStore {
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

const RATE = 1e-2;

/** What every optimizer must do; one call for each. */
export function optimizerConformance(kind: OptimizerKind): void {
  const create = (parameters: ParameterStore, shared: Partial<SharedOptions> = {}): Optimizer =>
    kind.create(parameters, {
      ...z.object(kind.options).parse({}),
      weightDecay: 0.01,
      decays: () => true,
      learns: () => true,
      ...shared,
    });

  describe(`optimizer ${kind.name}`, () => {
    test('has the name of its kind, under which checkpoints know it', () => {
      expect(create(randomStore(1)).name).toBe(kind.name);
    });

    test('goes down a slope', () => {
      const parameters = randomStore(4);
      const optimizer = create(parameters, { weightDecay: 0 });
      const height = (): number => parameters.buffer.reduce((sum, value) => sum + value * value, 0);
      const start = height();
      for (let step = 0; step < 50; step++) {
        const gradients = parameters.zerosLike();
        gradients.buffer.set(parameters.buffer.map((value) => 2 * value));
        optimizer.update(gradients, RATE);
      }
      expect(height()).toBeLessThan(0.9 * start);
    });

    test('resumed from its state it goes on as if it had never stopped', () => {
      const [whole, first] = [randomStore(1), randomStore(1)];
      const [uninterrupted, before] = [create(whole), create(first)];
      for (let step = 0; step < 6; step++) uninterrupted.update(gradientsOf(step), RATE);
      for (let step = 0; step < 3; step++) before.update(gradientsOf(step), RATE);

      const second = new ParameterStore(SPECS);
      second.copyFrom(first);
      const after = create(second);
      for (const [name, store] of Object.entries(before.state)) after.state[name].copyFrom(store);
      after.resumeAt(before.step);
      for (let step = 3; step < 6; step++) after.update(gradientsOf(step), RATE);
      expect(second.buffer).toEqual(whole.buffer);
      expect(after.step).toBe(6);
    });

    test('a gradient scale does what scaling the gradients would', () => {
      const [scaled, plain] = [randomStore(2), randomStore(2)];
      const [byFactor, byHand] = [create(scaled), create(plain)];
      for (let step = 0; step < 3; step++) {
        byFactor.update(gradientsOf(step), RATE, 0.25);
        const gradients = gradientsOf(step);
        // A power of two scales without rounding.
        for (let i = 0; i < gradients.buffer.length; i++) gradients.buffer[i] *= 0.25;
        byHand.update(gradients, RATE);
      }
      expect(scaled.buffer).toEqual(plain.buffer);
    });

    test('decays only what it is told to', () => {
      const [parameters, before] = [randomStore(3), randomStore(3)];
      create(parameters, { weightDecay: 0.5, decays: isWeightMatrix }).update(parameters.zerosLike(), 0.1);
      expect(parameters.get('dense.bias')).toEqual(before.get('dense.bias'));
      expect(parameters.get('table.weight')).not.toEqual(before.get('table.weight'));
    });

    test('leaves alone what does not learn: no moments, no decay', () => {
      const [parameters, before] = [randomStore(5), randomStore(5)];
      const learns = (name: string): boolean => name === 'dense.bias';
      const optimizer = create(parameters, { weightDecay: 0.5, learns });
      for (const store of Object.values(optimizer.state)) expect(store.names).toEqual(['dense.bias']);
      const gradients = parameters.zerosLike(learns);
      gradients.buffer.fill(1);
      optimizer.update(gradients, 0.1);
      expect(parameters.get('table.weight')).toEqual(before.get('table.weight'));
      expect(parameters.get('dense.bias')).not.toEqual(before.get('dense.bias'));
    });
  });
}
