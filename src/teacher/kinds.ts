import { Registry } from '../base/registry.js';
import { crossEncoderKind } from './cross-encoder.js';
import { encoderKind } from './encoder.js';
import { jointKind } from './joint.js';
import { noneKind } from './none.js';
import { storedKind } from './stored.js';
import type { TeacherKind } from './teacher.js';

/** All teachers that recipes can name. */
export const teachers = new Registry<TeacherKind>('teacher', [
  noneKind,
  storedKind,
  crossEncoderKind,
  encoderKind,
  jointKind,
]);
