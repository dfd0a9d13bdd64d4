import { type Dim, nameOf, type Op, type Value } from '../graph.js';

const topKOp: Op<{ dim: Dim }> = {
  name: 'topK',
  infer: ([x], { dim }) => [
    { shape: x.shape.with(-1, dim), dtype: x.dtype },
    { shape: x.shape.with(-1, dim), dtype: 'int32' },
  ],
  emit({ inputs, outputs: [values, indices] }, onnx) {
    const wide = onnx.temporary();
    onnx.node({ type: 'TopK', inputs: inputs.map(nameOf), outputs: [values.name, wide] });
    // ONNX counts in 64 bits, which JavaScript reads as slow BigInts.
    onnx.node({ type: 'Cast', inputs: [wide], outputs: [indices.name], attributes: { to: 6 } });
  },
};

/**
 * The largest values along the last axis and where they are, largest first, equal ones in the order of their places;
 * stops gradients.
 *
 * @param count how many, an int64 list of one, at most the size of the axis
 * @param dim what to call the size of the results' last axis
 */
export function topK(x: Value, count: Value, dim: Dim): { values: Value; indices: Value } {
  const [values, indices] = x.graph.apply(topKOp, [x, count], { dim });
  return { values, indices };
}
