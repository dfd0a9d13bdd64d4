import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import type { Dataset } from '../../data/dataset.js';
import { JUDGED_SPLIT } from '../../data/judged/judged-split.js';
import { GENERATED_SPLIT } from '../../data/made-splits.js';
import { openDataset } from '../../data/open.js';
import type { RunDescription } from '../run-description.js';
import type { RunDirectory } from '../run-directory.js';
import { withHeldOut } from './held-out.js';
import { judgedSince, readRunJudged } from './judged.js';
import { ownQueries } from './own-queries.js';

/**
 * Opens the collection that a run learns from, with the split that was made for it where it had none to measure on. What
 * people judged is part of it as it was when the run began, and only where the run uses it.
 */
export async function openRunData(
  run: RunDirectory,
  { data, heldOut }: Pick<RunDescription, 'data' | 'heldOut'>,
): Promise<Dataset> {
  await requireData(run, data);
  const judgments = (await readRunJudged(run)) ?? false;
  return withHeldOut(await openDataset(data, { judgments }), heldOut);
}

/** The same, to look at one of its splits: what people judged is what they have judged by now, without what was learned from. */
export async function openRunSplit(
  run: RunDirectory,
  description: Pick<RunDescription, 'data' | 'heldOut' | 'recipe' | 'split'>,
  split: string,
): Promise<Dataset> {
  const { data, heldOut } = description;
  if (split === GENERATED_SPLIT) {
    const dataset = await openRunData(run, { data, heldOut });
    return (await ownQueries({ run, description, dataset }, description.recipe.examples))?.dataset ?? dataset;
  }
  if (split !== JUDGED_SPLIT) return openRunData(run, { data, heldOut });
  await requireData(run, data);
  const held = new Set(heldOut?.queries);
  const taken = (await readRunJudged(run))?.queries ?? [];
  const learned = new Set(taken.flatMap(({ id }) => (held.has(id) ? [] : [id])));
  return openDataset(data, { judgments: await judgedSince(data, learned) });
}

async function requireData(run: RunDirectory, data: string): Promise<void> {
  if (await exists(data)) return;
  throw new NearmissError(`${data}: the collection of the run ${run.path} is not there`, {
    hint: `restore it, write its new path into the field "data" of ${run.file('run.json')}, or name it with --data where the command takes that`,
  });
}
