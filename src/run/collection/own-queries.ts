import type { Dataset } from '../../data/dataset.js';
import { GENERATED_SPLIT } from '../../data/made-splits.js';
import type { OwnQueries } from '../../examples/index.js';
import { examples } from '../../examples/kinds.js';
import { kindOptions } from '../../recipe/kind-options.js';
import type { Choice } from '../../recipe/recipe.js';
import { locateMade } from '../made.js';
import type { RunDescription } from '../run-description.js';
import type { RunDirectory } from '../run-directory.js';

export interface OwnQueriesOptions {
  run: RunDirectory;
  description: Pick<RunDescription, 'recipe' | 'split'>;
  /** The collection as it is. */
  dataset: Dataset;
}

/** A run's collection with the queries that examples bring along; `undefined` where they bring none. */
export async function ownQueries(
  { run, description: { recipe, split }, dataset }: OwnQueriesOptions,
  choice: Choice,
): Promise<OwnQueries | undefined> {
  const kind = examples.get(choice.name);
  return kind.ownQueries?.(kindOptions(kind, choice), {
    dataset,
    split,
    ...(recipe.evaluation.split === GENERATED_SPLIT && { heldOut: GENERATED_SPLIT }),
    locate: (file) => locateMade(run, file),
  });
}
