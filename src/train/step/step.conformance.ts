import { describe, expect, test } from 'vitest';
import { type ParameterStore, Random } from '../../engine/index.js';
import type { Batch } from '../task/batch.js';
import type { Step } from './step.js';

/** A way to compute gradients, made for the suite. */
export interface StepSubject<B extends Batch> {
  name: string;
  make(): Promise<{ step: Step<B>; parameters: ParameterStore; batch: B }>;
  /** The batch in two parts with no example in both, whose losses, weighted by their examples, are that of the whole. */
  parts?(batch: B): [B, B];
  /** How far a finite difference goes; less where the step has maxima that change hands. Default 4e-3. */
  h?: number;
  /** Parameters that must get no gradient; by default none. */
  frozen?: (name: string) => boolean;
}

const RUN = { seed: 1, step: 0 };

/** What every step must do; one call for each. */
export function stepConformance<B extends Batch>(subject: StepSubject<B>): void {
  const frozen = subject.frozen ?? (() => false);
  const zeros = (parameters: ParameterStore): ParameterStore => parameters.zerosLike((name) => !frozen(name));

  describe(subject.name, () => {
    test('gradients agree with finite differences along random directions', async () => {
      const { step, parameters, batch } = await subject.make();
      const gradients = zeros(parameters);
      await step.addGradients(batch, gradients, RUN);
      const lossAt = async (): Promise<number> =>
        (await step.addGradients(batch, zeros(parameters), RUN)).loss;
      for (const seed of [1, 2, 3]) {
        const random = Random.from(seed, 'direction');
        // Mostly along the gradient, where float32's rounding matters least, and partly anywhere.
        const size = Math.hypot(...gradients.buffer);
        const direction = gradients.buffer.map(
          (slope) => slope / size + (0.3 * random.normal()) / Math.sqrt(gradients.buffer.length),
        );
        const slope = direction.reduce((sum, part, i) => sum + part * gradients.buffer[i], 0);
        const { h = 4e-3 } = subject;
        const move = (by: number): void => {
          let offset = 0;
          for (const name of gradients.names) {
            const values = parameters.get(name);
            for (let i = 0; i < values.length; i++) values[i] += by * direction[offset++];
          }
        };
        const before = parameters.buffer.slice();
        move(h);
        const above = await lossAt();
        parameters.buffer.set(before);
        move(-h);
        const below = await lossAt();
        parameters.buffer.set(before);
        const measured = (above - below) / (2 * h);
        expect(Math.abs(measured - slope), `slope ${slope}, measured ${measured}`).toBeLessThan(
          2e-3 + 0.02 * Math.abs(slope),
        );
      }
      expect(Math.hypot(...gradients.buffer)).toBeGreaterThan(1e-3);
      await step.release();
    });

    test('gives the same bits twice, and adds to what is there', async () => {
      const { step, parameters, batch } = await subject.make();
      const [first, second, both] = [zeros(parameters), zeros(parameters), zeros(parameters)];
      const results = [
        await step.addGradients(batch, first, RUN),
        await step.addGradients(batch, second, RUN),
      ];
      expect(results[0]).toEqual(results[1]);
      expect(first.buffer).toEqual(second.buffer);
      await step.addGradients(batch, both, RUN);
      await step.addGradients(batch, both, RUN);
      both.buffer.forEach((sum, i) => {
        expect(Math.abs(sum - 2 * first.buffer[i])).toBeLessThan(1e-5);
      });
      expect(results[0].tokens).toBeGreaterThan(0);
      await step.release();
    });

    test('a weight scales gradients and not the loss', async () => {
      const { step, parameters, batch } = await subject.make();
      const [whole, half] = [zeros(parameters), zeros(parameters)];
      const { loss } = await step.addGradients(batch, whole, RUN);
      expect((await step.addGradients(batch, half, { ...RUN, weight: 0.5 })).loss).toBe(loss);
      half.buffer.forEach((slope, i) => {
        expect(Math.abs(2 * slope - whole.buffer[i])).toBeLessThan(1e-5);
      });
      await step.release();
    });

    const { parts } = subject;
    if (!parts) return;
    test('accumulated over parts it is that of the whole batch', async () => {
      const { step, parameters, batch } = await subject.make();
      const [whole, sum] = [zeros(parameters), zeros(parameters)];
      await step.addGradients(batch, whole, RUN);
      for (const part of parts(batch)) {
        await step.addGradients(part, sum, { ...RUN, weight: part.examples / batch.examples });
      }
      const difference = Math.hypot(...sum.buffer.map((slope, i) => slope - whole.buffer[i]));
      expect(difference / Math.hypot(...whole.buffer)).toBeLessThan(1e-5);
      await step.release();
    });
  });
}
