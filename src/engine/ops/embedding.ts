import { expectRank, type Op, type Value } from '../graph.js';

/**
 * Has no gradient of its own: `differentiate` hands the rows' gradients out as they are, because a dense
 * gradient of a vocabulary's table would be almost all zeros.
 */
export const embeddingOp: Op = {
  name: 'embedding',
  infer([table, ids]) {
    expectRank('embedding', table, 2);
    return [{ shape: [...ids.shape, table.shape[1]], dtype: 'float32' }];
  },
  emit: ({ inputs: [table, ids], outputs: [y] }, onnx) =>
    onnx.node({ type: 'Gather', inputs: [table.name, ids.name], outputs: [y.name], attributes: { axis: 0 } }),
};

/** Looks rows up in a table. */
export function embedding(table: Value, ids: Value): Value {
  return table.graph.apply(embeddingOp, [table, ids], {})[0];
}
