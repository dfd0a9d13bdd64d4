import { OnnxBuilder } from '../../src/engine/onnx/builder.js';
import type { EncoderModel } from '../../src/model/index.js';

const INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'] as const;
/** What the usual exports have, and the newest that the fusion of attention knows. */
const OPSET = 11;
const SHAPE = ['batch_size', 'sequence_length'];

/**
 * A stand-in for the usual PyTorch export of a BERT encoder: int64 inputs, MatMul + Add, scores divided by √d, a
 * mask added in float, LayerNorm and erf-GELU in single operators. It is what ONNX Runtime's fusions look for, so
 * the session runs `Attention`, `SkipLayerNormalization` and `BiasGelu` as it does for a public export.
 */
export function referenceExport({ spec: { config }, parameters }: EncoderModel): Uint8Array {
  const onnx = new OnnxBuilder({
    sourceOfDim: () => ({ name: 'input_ids', axis: 0 }),
    portable: true,
    opset: OPSET,
  });
  const { hiddenSize, heads } = config;
  const width = hiddenSize / heads;

  const weight = (name: string, transposed = false): string => {
    const { shape, data } = parameters.tensor(name);
    const stored = transposed ? `${name}.T` : name;
    onnx.initializer(stored, transposed ? transpose(data, shape) : { shape, data });
    return stored;
  };
  const dense = (x: string, name: string): string =>
    onnx.value('Add', [onnx.value('MatMul', [x, weight(`${name}.weight`, true)]), weight(`${name}.bias`)]);
  const norm = (x: string, name: string): string => {
    const mean = (of: string): string => onnx.value('ReduceMean', [of], { axes: [-1] });
    const centred = onnx.value('Sub', [x, mean(x)]);
    const variance = mean(onnx.value('Pow', [centred, onnx.scalar(2)]));
    const deviation = onnx.value('Sqrt', [onnx.value('Add', [variance, onnx.scalar(config.layerNormEps)])]);
    const scaled = onnx.value('Mul', [onnx.value('Div', [centred, deviation]), weight(`${name}.weight`)]);
    return onnx.value('Add', [scaled, weight(`${name}.bias`)]);
  };
  const gelu = (x: string): string => {
    const erf = onnx.value('Erf', [onnx.value('Div', [x, onnx.scalar(Math.SQRT2)])]);
    const product = onnx.value('Mul', [x, onnx.value('Add', [erf, onnx.scalar(1)])]);
    return onnx.value('Mul', [product, onnx.scalar(0.5)]);
  };
  const headsOf = (x: string, perm: number[]): string => {
    const split = onnx.value('Reshape', [x, onnx.integers([0, 0, heads, width])]);
    return onnx.value('Transpose', [split], { perm });
  };

  const unsqueezed = [1, 2].reduce(
    (mask, axis) => onnx.value('Unsqueeze', [mask], { axes: [axis] }),
    'attention_mask',
  );
  const hidden = onnx.value('Sub', [onnx.scalar(1), onnx.value('Cast', [unsqueezed], { to: 1 })]);
  const mask = onnx.value('Mul', [hidden, onnx.scalar(-10000)]);

  const attend = (x: string, at: string): string => {
    const query = headsOf(dense(x, `${at}.query`), [0, 2, 1, 3]);
    const key = headsOf(dense(x, `${at}.key`), [0, 2, 3, 1]);
    const value = headsOf(dense(x, `${at}.value`), [0, 2, 1, 3]);
    const products = onnx.value('MatMul', [query, key]);
    const scores = onnx.value('Add', [onnx.value('Div', [products, onnx.scalar(Math.sqrt(width))]), mask]);
    const context = onnx.value('MatMul', [onnx.value('Softmax', [scores], { axis: 3 }), value]);
    const joined = onnx.value('Transpose', [context], { perm: [0, 2, 1, 3] });
    return onnx.value('Reshape', [joined, onnx.integers([0, 0, hiddenSize])]);
  };

  const table = (name: string): string => weight(`embeddings.${name}_embeddings.weight`);
  const length = onnx.value('Slice', [
    onnx.value('Shape', ['input_ids']),
    onnx.integers([1]),
    onnx.integers([2]),
    onnx.integers([0]),
  ]);
  const positions = onnx.value('Slice', [table('position'), onnx.integers([0]), length, onnx.integers([0])]);
  const words = onnx.value('Gather', [table('word'), 'input_ids'], { axis: 0 });
  const types = onnx.value('Gather', [table('token_type'), 'token_type_ids'], { axis: 0 });
  const summed = onnx.value('Add', [onnx.value('Add', [words, types]), positions]);
  let x = norm(summed, 'embeddings.LayerNorm');
  for (let layer = 0; layer < config.layers; layer++) {
    const at = `encoder.layer.${layer}`;
    const attended = dense(attend(x, `${at}.attention.self`), `${at}.attention.output.dense`);
    const middle = norm(onnx.value('Add', [attended, x]), `${at}.attention.output.LayerNorm`);
    const output = dense(gelu(dense(middle, `${at}.intermediate.dense`)), `${at}.output.dense`);
    x = norm(onnx.value('Add', [output, middle]), `${at}.output.LayerNorm`);
  }
  onnx.node({ type: 'Identity', inputs: [x], outputs: ['last_hidden_state'] });
  return onnx.finish(
    'reference',
    INPUTS.map((name) => ({ name, shape: SHAPE, dtype: 'int64' })),
    [{ name: 'last_hidden_state', shape: [...SHAPE, hiddenSize], dtype: 'float32' }],
  );
}

function transpose(
  data: Float32Array,
  [rows, columns]: readonly number[],
): { shape: number[]; data: Float32Array } {
  const result = new Float32Array(data.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++)
      result[column * rows + row] = data[row * columns + column];
  }
  return { shape: [columns, rows], data: result };
}
