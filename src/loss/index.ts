export { bce } from './bce.js';
export { type EmbeddingMseOptions, embeddingMse } from './embedding-mse.js';
export { hinge } from './hinge.js';
export { infoNce } from './info-nce.js';
export { losses } from './kinds.js';
export { type KlOptions, kl } from './kl.js';
export { type LambdaOptions, lambda } from './lambda.js';
export {
  type ListInputs,
  type Loss,
  type LossInputs,
  type LossKind,
  type LossNeed,
  type LossNegatives,
  lossKind,
  type PrefixInputs,
  type TeacherInputs,
  type VectorInputs,
} from './loss.js';
export { marginFit } from './margin-fit.js';
export { marginMse, marginMseInBatch } from './margin-mse.js';
export { type MatryoshkaOptions, matryoshka } from './matryoshka.js';
export { nll } from './nll.js';
export { type RankNetOptions, rankNet } from './ranknet.js';
