import { describeLeftOut } from '../../data/left-out.js';
import type { Sources } from '../../data/sources.js';
import { tell } from '../output.js';

/** Says on stderr which files of a folder of texts are of other types and were not read. */
export function tellLeftOut({ leftOut }: Pick<Sources, 'leftOut'>): void {
  const note = describeLeftOut(leftOut);
  if (note !== undefined) tell(`${note}\n`);
}
