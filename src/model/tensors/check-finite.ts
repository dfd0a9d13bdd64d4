import { NearmissError } from '../../base/errors.js';
import { findNotFinite } from '../../base/numbers/finite.js';

/** Refuses weights that hold NaN or infinity: whatever is computed with them is NaN, too. */
export function checkFinite(values: Float32Array, where: string): void {
  const wrong = findNotFinite(values);
  if (wrong < 0) return;
  throw new NearmissError(
    `${where}: expected finite numbers, got ${values[wrong]} at place ${wrong} of ${values.length}`,
    { hint: 'the file is damaged, or a training that diverged wrote it: take another copy or checkpoint' },
  );
}
