export { bce } from './bce.js';
export { hinge } from './hinge.js';
export { infoNce } from './info-nce.js';
export { losses } from './kinds.js';
export { lambda } from './lambda.js';
export {
  type ListInputs,
  type Loss,
  type LossInputs,
  type LossKind,
  type LossNeed,
  lossKind,
  type TeacherInputs,
} from './loss.js';
export { marginMse } from './margin-mse.js';
export { nll } from './nll.js';
export { rankNet } from './ranknet.js';
