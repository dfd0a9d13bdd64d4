import { removeDirectory } from '../../base/files.js';
import { dropRemoteVersion, type RemotePlace, remoteOfFolder } from '../../index/engines/remote-folder.js';
import { makers } from '../../recipe/axes.js';
import type { NegativesRecipe, Recipe } from '../../recipe/recipe.js';
import { leadingCheckpoint } from '../../run/choose-best.js';
import { freshSourceOf, type Plan, stageAt } from '../../run/plan.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { bestSoFar } from '../../run/step-evaluation.js';

/**
 * The checkpoints that the Inferencer has still to mine or to measure, ascending. Those older than what it last
 * worked on have been passed over.
 */
export async function openCheckpoints(run: RunDirectory, recipe: Recipe, plan: Plan): Promise<number[]> {
  const [mined, measured] = [new Set(await run.steps('negatives')), new Set(await run.steps('evaluations'))];
  const newest = Math.max(-1, ...mined, ...measured);
  return (await run.steps('checkpoints')).filter((step) => {
    const needsNegatives = freshSourceAfter(plan, step) !== undefined && !mined.has(step);
    const needsMeasuring = isMeasured(recipe, plan, step) && !measured.has(step);
    return step >= newest && (needsNegatives || needsMeasuring);
  });
}

/** The source of the stage that goes on from a checkpoint which has to be mined with it. */
export function freshSourceAfter(plan: Plan, step: number): NegativesRecipe | undefined {
  return step < plan.totalSteps ? freshSourceOf(stageAt(plan, step)) : undefined;
}

export function isMeasured({ evaluation }: Recipe, plan: Plan, step: number): boolean {
  if (evaluation.when === 'checkpoints' || step === plan.totalSteps) return true;
  // Whether the end is better than the start is asked of both.
  return step === 0 && evaluation.choose === 'significant';
}

/**
 * Removes what nobody will read again: Trainer and Inferencer call it after each thing they add. Two of a kind stay
 * at least, since the other process may still be reading the one before.
 */
export async function prune(run: RunDirectory, recipe: Recipe, plan: Plan): Promise<void> {
  const open = new Set(await openCheckpoints(run, recipe, plan));
  const best = (await bestSoFar(run))?.step;
  const newest = (await run.steps('checkpoints')).at(-1) ?? 0;
  const wanted = looksBack(plan, newest) ? 0 : undefined;
  // What was learned is told beside what is kept, where they differ.
  const lead = (await leadingCheckpoint(run, recipe.evaluation.best))?.step;
  const isTold = (step: number): boolean => step === lead && lead !== best;
  for (const folder of ['checkpoints', 'index', 'negatives'] as const) {
    const old = (await run.steps(folder)).slice(0, -Math.max(2, recipe.checkpoint.keep));
    for (const step of old) {
      if (open.has(step) || (folder === 'index' && (step === best || step === wanted))) continue;
      if (folder !== 'negatives' && isTold(step)) continue;
      if (folder === 'index') await dropRemote(run, step);
      await removeDirectory(run.stepPath(folder, step));
    }
  }
}

/** Whether a stage that is still to come needs the collection as the run's start saw it. */
function looksBack({ stages }: Plan, step: number): boolean {
  return stages.some(({ make, start }) => make && start >= step && makers.find(make.name)?.usesStart);
}

/** Removes from an engine what only the index of this step stands for. */
async function dropRemote(run: RunDirectory, step: number): Promise<void> {
  const remoteOf = (other: number): Promise<RemotePlace | undefined> =>
    remoteOfFolder(run.stepPath('index', other));
  const place = await remoteOf(step);
  if (place === undefined) return;
  for (const other of await run.steps('index')) {
    if (other !== step && (await remoteOf(other))?.version === place.version) return;
  }
  await dropRemoteVersion(place);
}
