export { type AttentionInputs, attention } from './attention.js';
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
export { erf, gelu } from './gelu.js';
export { layerNorm } from './layer-norm.js';
export { concat, expandTo, reshape, split, transpose } from './layout.js';
export { linear, matmul } from './matmul.js';
export { permuteRows } from './permute-rows.js';
export { pick } from './pick.js';
export { type ReduceOptions, reduceMax, reduceMean, reduceSum, sumTo } from './reduce.js';
export { first, rowsUpTo } from './slice.js';
export { logSoftmax, softmax } from './softmax.js';
export { topK } from './top-k.js';
export { where } from './where.js';
