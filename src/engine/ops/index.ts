export { type AttentionInputs, attention } from './attention.js';
export { bestProducts } from './best-products.js';
export {
  add,
  div,
  equal,
  exp,
  log,
  mul,
  neg,
  relu,
  sigmoid,
  sign,
  softplus,
  sqrt,
  sub,
  tanh,
  toFloat,
} from './elementwise.js';
export { embedding } from './embedding.js';
export { erf, gelu, geluTanh } from './gelu.js';
export { layerNorm } from './layer-norm.js';
export { concat, split, transpose } from './layout.js';
export { linear, matmul } from './matmul.js';
export { permuteRows } from './permute-rows.js';
export { pick, spread } from './pick.js';
export { reduceMax, reduceMean } from './reduce.js';
export { reshape } from './reshape.js';
export { rmsNorm } from './rms-norm.js';
export { selectRows } from './select-rows.js';
export { first, rowsUpTo } from './slice.js';
export { logSoftmax, softmax } from './softmax.js';
export { expandTo, type ReduceOptions, reduceSum, sumTo } from './sum.js';
export { topK } from './top-k.js';
export { where } from './where.js';
