import { expectRank, type Op, type Value } from '../graph.js';

const selectRowsOp: Op = {
  name: 'selectRows',
  infer([x, index]) {
    expectRank('selectRows', x, 2);
    expectRank('selectRows', index, 1);
    return [{ shape: [index.shape[0], x.shape[1]], dtype: x.dtype }];
  },
  emit({ inputs: [x, index], outputs: [y] }, onnx) {
    // A row of zeros behind the others is what an index of "none" finds.
    const width = onnx.value('Slice', [
      onnx.value('Shape', [x.name]),
      onnx.integers([1]),
      onnx.integers([2]),
      onnx.integers([0]),
    ]);
    const one = onnx.value('Concat', [onnx.integers([1]), width], { axis: 0 });
    const padded = onnx.value('Concat', [x.name, onnx.value('ConstantOfShape', [one])], { axis: 0 });
    onnx.node({ type: 'Gather', inputs: [padded, index.name], outputs: [y.name], attributes: { axis: 0 } });
  },
  gradient: ({ inputs: [x, index, inverse] }, [g]) => [
    x.graph.apply(selectRowsOp, [g!, inverse, index], {})[0],
  ],
};

/**
 * Row i of the result is row `index[i]` of `x`, or zeros where `index[i]` is the number of rows of `x`. No row may be
 * selected twice: `inverse` says for each row of `x` where it went, or the number of selected rows where it went nowhere.
 * The gradient is then the same operation with the two exchanged: nothing is scattered.
 */
export function selectRows(x: Value, index: Value, inverse: Value): Value {
  return x.graph.apply(selectRowsOp, [x, index, inverse], {})[0];
}
