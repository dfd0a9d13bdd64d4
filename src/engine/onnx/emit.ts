import { NearmissError } from '../../base/errors.js';
import type { Graph, Value } from '../graph.js';
import { sizeOf } from '../shape.js';
import { OnnxBuilder, type OnnxValue } from './builder.js';
import { type QuantizeOptions, QuantizingBuilder } from './quantizing-builder.js';

export interface EmitOptions {
  /** What the model gives, by the name it gives it under. */
  outputs: Record<string, Value>;
  /** Parameter data to bake into the model; those without data stay inputs. Baked weights are pre-packed by the runtime. */
  weights?: (name: string) => Float32Array | undefined;
  /** A file beside the model that holds parameters which are not baked in, and where each of them starts, in bytes. */
  stored?: { file: string; offset: (name: string) => number };
  /** Use standard ONNX operators only. */
  portable?: boolean;
  /** Write baked weights in 8 bits: a quarter of the size, and nearly the same results. */
  quantize?: boolean | QuantizeOptions;
  name?: string;
}

/** Protobuf messages, and so ONNX files without external data, end at 2 GiB. */
const MAXIMUM_BYTES = 2 ** 31;
const FLOAT_BYTES = 4;

/** Writes the part of `graph` that leads to `outputs` as an ONNX model. Inputs it does not need are left out. */
export function emitOnnx(graph: Graph, options: EmitOptions): Uint8Array {
  const outputs = Object.entries(options.outputs);
  const nodes = graph.nodesLeadingTo(outputs.map(([, value]) => value));
  const used = new Set<Value>([
    ...nodes.flatMap((node) => node.inputs),
    ...outputs.map(([, value]) => value),
  ]);

  const dims = new Set<Value>();
  const sourceOfDim = (dim: string): { name: string; axis: number } => {
    const { value, axis } = graph.sourceOf(dim);
    dims.add(value);
    return { name: value.name, axis };
  };
  const { portable, quantize } = options;
  const builder = quantize
    ? new QuantizingBuilder({ sourceOfDim, portable, ...(quantize === true ? {} : quantize) })
    : new OnnxBuilder({ sourceOfDim, portable });

  const inputs: OnnxValue[] = [];
  let bakedBytes = 0;
  for (const parameter of graph.parameters) {
    if (!used.has(parameter)) continue;
    const data = options.weights?.(parameter.name);
    if (data) {
      bakedBytes += data.byteLength;
      builder.initializer(parameter.name, { shape: parameter.shape as number[], data });
    } else if (options.stored) {
      const { file, offset } = options.stored;
      const shape = parameter.shape as number[];
      const place = { file, offset: offset(parameter.name), bytes: sizeOf(shape) * FLOAT_BYTES };
      builder.storedInitializer(parameter.name, { shape, dtype: parameter.dtype, ...place });
    } else inputs.push(parameter);
  }
  if (bakedBytes >= MAXIMUM_BYTES) {
    throw new NearmissError(
      `the model has ${bakedBytes} bytes of weights; one ONNX file holds less than ${MAXIMUM_BYTES}`,
      {
        hint: 'use fewer layers, or leave the parameters out of the model',
      },
    );
  }
  for (const [value, tensor] of graph.constants) if (used.has(value)) builder.initializer(value.name, tensor);
  for (const node of nodes) node.op.emit(node, builder);
  for (const [name, value] of outputs)
    builder.node({ type: 'Identity', inputs: [value.name], outputs: [name] });
  for (const input of graph.inputs) if (used.has(input) || dims.has(input)) inputs.push(input);

  const given = outputs.map(([name, value]) => ({ name, shape: value.shape, dtype: value.dtype }));
  return builder.finish(options.name ?? 'nearmiss', inputs, given);
}
