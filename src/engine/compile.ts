import type { Graph, Value } from './graph.js';
import { emitOnnx } from './onnx/emit.js';
import type { ParameterStore } from './parameters.js';
import { Session, type SessionOptions } from './session.js';

const FILE = 'parameters';

export interface CompileOptions {
  /** What the session gives, by the name it gives it under. */
  outputs: Record<string, Value>;
  /** Values of the graph's parameters; later changes to them do not show. */
  parameters: ParameterStore;
  session?: SessionOptions;
}

/**
 * Compiles the part of `graph` that leads to `outputs`, with the parameters inside: the runtime arranges them for its
 * own use, once. It takes them straight from the store; in the model they would be copied twice more on the way.
 *
 * @example
 * const session = await compile(graph, { outputs: { scores }, parameters });
 * const { scores } = await session.run({ ids });
 */
export async function compile(
  graph: Graph,
  { outputs, parameters, session }: CompileOptions,
): Promise<Session> {
  const { buffer, byteOffset, byteLength } = parameters.buffer;
  const offset = (name: string): number => parameters.get(name).byteOffset - byteOffset;
  const model = emitOnnx(graph, { outputs, stored: { file: FILE, offset } });
  return Session.create(model, session, { [FILE]: new Uint8Array(buffer, byteOffset, byteLength) });
}
