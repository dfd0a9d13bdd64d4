import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compile } from './compile.js';
import { Graph } from './graph.js';
import { linear } from './ops/index.js';
import { ParameterStore } from './parameters.js';
import { signedProductsAreExact } from './signed-products.js';

const [ROWS, INTO, OUT] = [3, 48, 16];

async function product(x: Float32Array, weights: Float32Array, signed?: boolean): Promise<Float32Array> {
  const graph = new Graph();
  const y = linear(graph.input('x', [ROWS, INTO]), graph.parameter('w', [OUT, INTO]));
  const parameters = new ParameterStore([{ name: 'w', shape: [OUT, INTO] }]);
  parameters.buffer.set(weights);
  const quantize = signed === undefined ? undefined : { parameter: () => true, signed };
  const session = await compile(graph, { outputs: { y }, parameters, quantize, session: { threads: 1 } });
  const results = await session.run({ x: { shape: [ROWS, INTO], data: x } });
  await session.release();
  return results.y.data as Float32Array;
}

const numbers = (length: number): fc.Arbitrary<Float32Array> =>
  fc
    .array(fc.integer({ min: -1000, max: 1000 }), { minLength: length, maxLength: length })
    .map((values) => Float32Array.from(values, (value) => value / 100));

test('signed and unsigned codes give the same products wherever signed ones are used', async () => {
  const exact = await signedProductsAreExact();
  await fc.assert(
    fc.asyncProperty(numbers(ROWS * INTO), numbers(OUT * INTO), async (x, weights) => {
      const floats = await product(x, weights);
      const unsigned = await product(x, weights, false);
      // A code is off by half a step of the activations (20 / 255) or of the weights (10 / 127) at most.
      unsigned.forEach((value, i) => {
        expect(Math.abs(value - floats[i])).toBeLessThan(INTO * (10 * 0.04 + 10 * 0.04));
      });
      if (!exact) return;
      const signed = await product(x, weights, true);
      signed.forEach((value, i) => {
        expect(Math.abs(value - unsigned[i])).toBeLessThan(1e-2);
      });
    }),
    { numRuns: 15 },
  );
});
