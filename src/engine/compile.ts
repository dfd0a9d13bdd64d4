import { bytesOf } from '../base/numbers/bytes-of.js';
import type { Graph, Value } from './graph.js';
import { emitOnnx } from './onnx/emit.js';
import type { QuantizeOptions } from './onnx/quantizing-builder.js';
import type { ParameterStore } from './parameters.js';
import { Session, type SessionOptions } from './session.js';

const FILE = 'parameters';

export interface CompileOptions {
  /** What the session gives, by the name it gives it under. */
  outputs: Record<string, Value>;
  /** Values of the graph's parameters; later changes to them do not show. */
  parameters: ParameterStore;
  session?: SessionOptions;
  /** Which parameters linear layers multiply in 8 bits, by name, and how (`QuantizeOptions`). */
  quantize?: QuantizeOptions & { parameter: (name: string) => boolean };
}

/**
 * Compiles the part of `graph` that leads to `outputs`, with the parameters inside: the runtime arranges them for its
 * own use, once. It takes them straight from the store; in the model they would be copied twice more on the way.
 *
 * @example
 * const graph = new Graph();
 * const y = linear(graph.input('x', ['batch', 3]), graph.parameter('w', [2, 3]));
 * const parameters = new ParameterStore([{ name: 'w', shape: [2, 3] }]);
 * const session = await compile(graph, { outputs: { y }, parameters });
 * const results = await session.run({ x: { shape: [1, 3], data: Float32Array.of(1, 2, 3) } });
 * console.log(results.y.data);
 * await session.release();
 */
export async function compile(
  graph: Graph,
  { outputs, parameters, session, quantize }: CompileOptions,
): Promise<Session> {
  const { buffer } = parameters;
  const offset = (name: string): number => parameters.get(name).byteOffset - buffer.byteOffset;
  const weights = (name: string): Float32Array | undefined =>
    quantize?.parameter(name) ? parameters.get(name) : undefined;
  const model = emitOnnx(graph, { outputs, weights, stored: { file: FILE, offset }, quantize });
  return Session.create(model, session, { [FILE]: bytesOf(buffer) });
}
