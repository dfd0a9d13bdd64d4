import { NearmissError } from '../base/errors.js';
import { Graph } from './graph.js';
import { emitOnnx } from './onnx/emit.js';
import { matmul } from './ops/index.js';
import { Session } from './session.js';

/**
 * Multiplies two numbers on an execution provider, to know before the work begins whether it can compute here. Throws what
 * is missing.
 */
export async function tryProvider(provider: string): Promise<void> {
  if (provider === 'cpu') return;
  const graph = new Graph();
  const product = matmul(graph.input('a', ['rows', 1]), graph.input('b', [1, 1]));
  const session = await Session.create(emitOnnx(graph, { outputs: { product } }), { provider });
  try {
    const { product: result } = await session.run({
      a: { shape: [1, 1], data: Float32Array.of(3) },
      b: { shape: [1, 1], data: Float32Array.of(2) },
    });
    if (Number(result.data[0]) === 6) return;
    throw new Error(`3 times 2 came out as ${result.data[0]}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new NearmissError(`${provider} cannot compute here: ${reason}`, {
      hint: 'leave --provider out',
      cause: error,
    });
  } finally {
    await session.release();
  }
}
