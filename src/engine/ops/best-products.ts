import { expectRank, expectSameDim, type Op, type SparseRows, type Value } from '../graph.js';
import type { OnnxBuilder } from '../onnx/builder.js';

/** Rows of the table compared at once: what is kept of all products is their maxima, so the others need no room. */
const TABLE_ROWS = 4096;

interface BestProducts {
  /** Whether to say which token was best, which the gradient needs. */
  places: boolean;
}

const bestProductsOp: Op<BestProducts> = {
  name: 'bestProducts',
  infer([states, table, bias], { places }) {
    expectRank('bestProducts', states, 3);
    expectSameDim('bestProducts', states, 2, table, 1);
    expectSameDim('bestProducts', states, 1, bias, 1);
    const shape = [states.shape[0], table.shape[0]];
    return [{ shape, dtype: 'float32' }, ...(places ? [{ shape, dtype: 'int32' as const }] : [])];
  },
  emit({ inputs: [states, table, bias], outputs, attributes: { places } }, onnx) {
    const [hidden, rows] = [Number(table.shape[1]), Number(table.shape[0])];
    const flat = onnx.value('Reshape', [states.name, onnx.integers([-1, hidden])]);
    const hides = onnx.value('Unsqueeze', [bias.name, onnx.integers([2])]);
    const sizes = onnx.value('Shape', [bias.name]);
    const parts: { best: string; place?: string }[] = [];
    for (let start = 0; start < rows; start += TABLE_ROWS) {
      const end = Math.min(rows, start + TABLE_ROWS);
      const part = onnx.value('Slice', [
        table.name,
        onnx.integers([start]),
        onnx.integers([end]),
        onnx.integers([0]),
      ]);
      const products = onnx.value('Gemm', [flat, part], { transB: 1 });
      const shape = onnx.value('Concat', [sizes, onnx.integers([end - start])], { axis: 0 });
      const shown = onnx.value('Add', [onnx.value('Reshape', [products, shape]), hides]);
      const best = onnx.value('ReduceMax', [shown, onnx.integers([1])], { keepdims: 0 });
      if (!places) parts.push({ best });
      else {
        const wide = onnx.value('ArgMax', [shown], { axis: 1, keepdims: 0 });
        parts.push({ best, place: onnx.value('Cast', [wide], { to: 6 }) });
      }
    }
    const join = (names: string[], output: Value): void =>
      onnx.node({ type: 'Concat', inputs: names, outputs: [output.name], attributes: { axis: 1 } });
    join(
      parts.map(({ best }) => best),
      outputs[0],
    );
    if (places)
      join(
        parts.map(({ place }) => place!),
        outputs[1],
      );
  },
  gradient({ inputs: [states, table], outputs: [, places] }, [g]) {
    if (!places) throw new Error('bestProducts: built without places, so it has no gradient');
    const [ofStates, rows, ids] = states.graph.apply(activeProductsOp, [g!, places, states, table], {});
    return [ofStates, { ids, rows } satisfies SparseRows, undefined];
  },
};

/**
 * The gradient of {@link bestProductsOp}. All but a few of the maxima have none (relu), so only those that have are
 * looked up: as many in each text as in the one with most. Nothing is scattered: tokens get theirs by products with 0/1
 * matrices, and rows of the table are handed out with their numbers.
 */
const activeProductsOp: Op = {
  name: 'activeProducts',
  infer: ([, , states]) => [
    { shape: states.shape, dtype: 'float32' },
    { shape: ['active rows', states.shape[2]], dtype: 'float32' },
    { shape: ['active rows'], dtype: 'int32' },
  ],
  emit({ inputs: [g, places, states, table], outputs: [ofStates, rows, ids] }, onnx) {
    const size = onnx.value('Abs', [g.name]);
    const chosen = onnx.temporary();
    onnx.node({ type: 'TopK', inputs: [size, mostActive(onnx, size)], outputs: [onnx.temporary(), chosen] });
    const slopes = onnx.value('Unsqueeze', [
      onnx.value('GatherElements', [g.name, chosen], { axis: 1 }),
      onnx.integers([1]),
    ]);
    const at = onnx.value('Unsqueeze', [
      onnx.value('GatherElements', [places.name, chosen], { axis: 1 }),
      onnx.integers([1]),
    ]);
    // [texts, tokens, active]: the slope where the token was best.
    const tokens = onnx.value('Unsqueeze', [tokenNumbers(onnx, states), onnx.integers([0, 2])]);
    const owned = onnx.value('Cast', [onnx.value('Equal', [tokens, at])], { to: 1 });
    const weighed = onnx.value('Mul', [owned, slopes]);
    const words = onnx.value('Gather', [table.name, chosen], { axis: 0 });
    onnx.node({ type: 'MatMul', inputs: [weighed, words], outputs: [ofStates.name] });
    const turned = onnx.value('Transpose', [weighed], { perm: [0, 2, 1] });
    const ofWords = onnx.value('MatMul', [turned, states.name]);
    const flat = onnx.integers([-1, Number(states.shape[2])]);
    onnx.node({ type: 'Reshape', inputs: [ofWords, flat], outputs: [rows.name] });
    const numbers = onnx.value('Reshape', [chosen, onnx.integers([-1])]);
    onnx.node({ type: 'Cast', inputs: [numbers], outputs: [ids.name], attributes: { to: 6 } });
  },
};

/** Of the text with most of them, how many entries are not 0; at least 1. */
function mostActive(onnx: OnnxBuilder, size: string): string {
  const active = onnx.value('Cast', [onnx.value('Sign', [size])], { to: 7 });
  const counts = onnx.value('ReduceSum', [active, onnx.integers([1])], { keepdims: 0 });
  const most = onnx.value('ReduceMax', [counts, onnx.integers([0])], { keepdims: 1 });
  return onnx.value('Max', [most, onnx.integers([1])]);
}

/** 0, 1, … for each token of a text. */
function tokenNumbers(onnx: OnnxBuilder, states: Value): string {
  const shape = onnx.value('Shape', [states.name]);
  const length = onnx.value('Gather', [shape, onnx.integers([1])], { axis: 0 });
  const ones = onnx.value('Expand', [onnx.integers([1]), length]);
  const counted = onnx.value('CumSum', [ones, onnx.integers([0])], { exclusive: 1 });
  return onnx.value('Cast', [counted], { to: 6 });
}

/**
 * The greatest product of any of a text's states with each row of a table, [texts, rows]: maxₜ hₜ·eᵥ + biasₜ. Products
 * are made for a few thousand rows at a time and forgotten, so that memory does not grow with the table.
 *
 * @param states [texts, tokens, size]
 * @param table [rows, size]
 * @param bias [texts, tokens]: 0 for tokens, a very low number for padding
 * @param options.differentiable leave out what only a gradient needs
 */
export function bestProducts(
  states: Value,
  table: Value,
  bias: Value,
  { differentiable = true }: { differentiable?: boolean } = {},
): Value {
  return states.graph.apply(bestProductsOp, [states, table, bias], { places: differentiable })[0];
}
