export { bce } from './bce.js';
export { hinge } from './hinge.js';
export { infoNce } from './info-nce.js';
export type { Loss, LossInputs } from './loss.js';
export { nll } from './nll.js';
export { rankNet } from './ranknet.js';
