import { count } from '../../base/progress.js';
import { tell } from '../output.js';

const EFFECTS_ON_ONE = {
  leftOut: 'it is left out, as trec_eval does; -c counts it as 0',
  counted: 'it counts as 0',
};
const EFFECTS_ON_SEVERAL = {
  leftOut: 'they are left out, as trec_eval does; -c counts them as 0',
  counted: 'they count as 0',
};

export interface MissingQueries {
  /** What to call the run. */
  run: string;
  /** How many queries it has no hits for. */
  missing: number;
  /** Of which queries, e.g. `4 judged queries`. */
  among: string;
  /** They are left out of the means, instead of counting as 0. */
  leftOut?: boolean;
}

/** Says on stderr that a run has no hits for some queries, and what that does to its values. */
export function warnOfMissing({ run, missing, among, leftOut }: MissingQueries): void {
  if (missing === 0) return;
  const effects = missing === 1 ? EFFECTS_ON_ONE : EFFECTS_ON_SEVERAL;
  const effect = leftOut ? effects.leftOut : effects.counted;
  tell(`nearmiss: ${run} has no hits for ${count(missing)} of ${among}; ${effect}\n`);
}
