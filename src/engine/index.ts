export { type CompileOptions, compile } from './compile.js';
export { differentiate, differentiateLoss, type Gradients, type SparseGradient } from './differentiate.js';
export { Graph, type Node, type Op, Value } from './graph.js';
export { type EmitOptions, emitOnnx } from './onnx/emit.js';
export type { QuantizeOptions } from './onnx/quantizing-builder.js';
export * from './ops/index.js';
export { AdamW } from './optimizer/adamw.js';
export { clipFactor, globalNorm, groupNorms } from './optimizer/gradient-norm.js';
export { Lamb } from './optimizer/lamb.js';
export { isWeightMatrix, type Optimizer, type OptimizerOptions } from './optimizer/optimizer.js';
export { type ScheduleOptions, scheduleFactor } from './optimizer/schedule.js';
export {
  fillNormal,
  joinedParameters,
  type ParameterLookup,
  type ParameterSpec,
  ParameterStore,
} from './parameters.js';
export { bits, Random, type RandomKey, randomKey } from './random.js';
export {
  type DenseTensor,
  executionProviders,
  runtimeVersion,
  Session,
  type SessionOptions,
  type TensorData,
} from './session.js';
export { type Dim, type DType, productOf, type Shape, sizeOf } from './shape.js';
export { signedProductsAreExact } from './signed-products.js';
