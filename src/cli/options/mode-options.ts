import { Option } from 'commander';
import { UsageError } from '../../base/errors.js';
import { expectedMode } from '../../search/retrievers/modes.js';
import type { SearchMode } from '../../search/retrievers/retriever.js';

/** What encodes a collection where no model is named: it comes with nearmiss. */
export const COLLECTION_MODEL = 'minilm';

/**
 * An option that takes a mode. Those that there are are shown and completed; whether it is one of them is asked with
 * {@link checkModes} when the command runs, because a `--module` may add more until then.
 */
export function modeOption(flags: string, description: string, names: SearchMode[]): Option {
  const option = new Option(flags, description);
  option.argChoices = names;
  return option;
}

/** Refuses what an option was given where that is no mode. */
export function checkModes(
  option: string,
  given: readonly SearchMode[] | SearchMode | undefined,
  known: readonly SearchMode[],
): void {
  const unknown = [given ?? []].flat().find((mode) => !known.includes(mode));
  if (unknown !== undefined)
    throw new UsageError(`${option}: ${expectedMode(unknown, known)}, got "${unknown}"`);
}
