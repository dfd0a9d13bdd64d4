import { NearmissError } from '../../base/errors.js';

/** The error for a file that is not ONNX, or no longer. */
export function corruptOnnx(path: string, reason: string): NearmissError {
  return new NearmissError(`${path}: not a valid ONNX file: ${reason}`, {
    hint: 'the file is damaged or of another format: copy, download or export it again',
  });
}
