import { Registry } from '../base/registry.js';
import { bceKind } from './bce.js';
import { embeddingMseKind } from './embedding-mse.js';
import { flopsKind } from './flops.js';
import { hingeKind } from './hinge.js';
import { infoNceKind } from './info-nce.js';
import { klKind } from './kl.js';
import { lambdaKind } from './lambda.js';
import type { LossKind } from './loss.js';
import { marginFitKind } from './margin-fit.js';
import { marginMseInBatchKind, marginMseKind } from './margin-mse.js';
import { matryoshkaKind } from './matryoshka.js';
import { nllKind } from './nll.js';
import { rankNetKind } from './ranknet.js';

/** All losses that recipes can name. */
export const losses = new Registry<LossKind>('loss', [
  nllKind,
  infoNceKind,
  bceKind,
  hingeKind,
  rankNetKind,
  marginMseKind,
  marginMseInBatchKind,
  marginFitKind,
  klKind,
  embeddingMseKind,
  lambdaKind,
  flopsKind,
  matryoshkaKind,
]);
