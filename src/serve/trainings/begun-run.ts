import { isRun } from '../../run/run-description.js';
import type { Training } from '../answers/trainings.js';
import { ApiError } from '../api-error.js';
import { analyses } from '../studio/analyses.js';

/**
 * Whether a run of that name waits to be gone on with. One that has ended, or that learns in another way, is in the way of
 * what somebody wants to begin.
 */
export async function goesOn(
  folder: string,
  { run, kind }: Pick<Training, 'run' | 'kind'>,
): Promise<boolean> {
  if (!(await isRun(folder))) return false;
  const { summarizeRun } = await analyses();
  const { state, recipe } = await summarizeRun(folder);
  if (state === 'finished') throw taken(`there is a "${run}" already, and it has ended`);
  if (state === 'running') throw taken(`"${run}" is being trained already, by another process`);
  if (kindOf(recipe) !== kind) throw taken(`there is a "${run}" already, and it learns in another way`);
  return true;
}

/** What goes on with a run of that recipe. */
export function kindOf(recipe: string): Training['kind'] {
  return recipe === 'adapt' ? 'adapt' : 'train';
}

function taken(message: string): ApiError {
  return new ApiError(409, 'unavailable', message, { hint: 'call it something else' });
}
