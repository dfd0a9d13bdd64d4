import { Registry } from '../../base/registry.js';
import { crossKind } from './cross-model.js';
import { seq2SeqKind } from './seq2seq-kind.js';
import { termsKind } from './terms-kind.js';
import { dualKind } from './tower-models.js';
import type { TrainedModelKind } from './trained-model.js';

/** All kinds of models that can be trained, under the names that `modelKinds` has. */
export const trainedKinds = new Registry<TrainedModelKind>('kind of model', [
  dualKind,
  crossKind,
  seq2SeqKind,
  termsKind,
]);
