import { compile } from './compile.js';
import { Graph } from './graph.js';
import { linear } from './ops/index.js';
import { ParameterStore } from './parameters.js';

/** Largest activations and weights there are in 8 bits. */
const LARGEST_ACTIVATION = 255;
const [ROWS, WIDTH] = [4, 64];
let known: Promise<boolean> | undefined;

/**
 * Whether this processor multiplies unsigned activations with signed weights exactly. Those with VNNI add the products up in
 * 32 bits; older ones add two in 16 bits, and what does not fit is cut off. Asked of the processor itself, once: the
 * largest numbers are multiplied, which would come out as half of what they are.
 */
export function signedProductsAreExact(): Promise<boolean> {
  known ??= multiplyLargest();
  return known;
}

async function multiplyLargest(): Promise<boolean> {
  const graph = new Graph();
  const y = linear(graph.input('x', [ROWS, WIDTH]), graph.parameter('w', [WIDTH, WIDTH]));
  const parameters = new ParameterStore([{ name: 'w', shape: [WIDTH, WIDTH] }]);
  parameters.buffer.fill(1);
  const session = await compile(graph, {
    outputs: { y },
    parameters,
    session: { threads: 1 },
    quantize: { parameter: () => true, signed: true },
  });
  try {
    // The first column is 0, so that codes are the numbers themselves.
    const x = Float32Array.from({ length: ROWS * WIDTH }, (_, i) =>
      i % WIDTH === 0 ? 0 : LARGEST_ACTIVATION,
    );
    const results = await session.run({ x: { shape: [ROWS, WIDTH], data: x } });
    const expected = (WIDTH - 1) * LARGEST_ACTIVATION;
    return (results.y.data as Float32Array).every((value) => Math.abs(value / expected - 1) < 1e-3);
  } finally {
    await session.release();
  }
}
