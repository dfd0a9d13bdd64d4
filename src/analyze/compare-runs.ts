import { basename } from 'node:path';
import { mean } from '../base/numbers/mean.js';
import { diffRecipes, type RecipeDifference } from '../recipe/fingerprint.js';
import type { Recipe } from '../recipe/recipe.js';
import { planRun } from '../run/plan.js';
import { readRunDescription } from '../run/run-description.js';
import type { RunDirectory } from '../run/run-directory.js';
import { curvesOf } from './curves.js';
import { groupSeries } from './group-series.js';
import { readHistory } from './history.js';
import { finite, type Series, thin } from './series.js';

/** Steps before and after a switch of negatives whose losses are compared. */
const AROUND_SWITCH = 5;
/** Gradient norms jump from step to step: of so many points each is a mean, and runs can be told apart. */
const SMOOTH_POINTS = 50;
/** More settings than this do not fit a legend. */
const MOST_SETTINGS = 4;
/** The share of a run that is late in training. */
const LATE = 1 / 3;

/** One of several runs laid over each other (Fig. 4 and 5 of the ANCE paper). */
export interface ComparedRun {
  path: string;
  /** Its folder and the settings in which the runs differ. */
  label: string;
  /** All settings in which it differs from the first run. */
  differences: RecipeDifference[];
  loss: Series;
  /** Before clipping, smoothed (Fig. 4). */
  gradientNorm: Series;
  groupNorms: Record<string, Series>;
  /** Means over the last third of the steps. */
  lateGradientNorm: number;
  lateGroupNorms: Record<string, number>;
  dev: Record<string, Series>;
  indexAge: Series;
  /** By how much the loss rises, on average, when fresh negatives take over; the paper's sign of too large a gap. */
  jumpAtSwitch?: number;
}

/** Reads several runs to compare how refreshing and learning rate made them go. */
export async function compareRuns(runs: readonly RunDirectory[]): Promise<ComparedRun[]> {
  const recipes: Recipe[] = [];
  for (const run of runs) recipes.push((await readRunDescription(run)).recipe);
  const differences = recipes.map((recipe) => diffRecipes(recipes[0], recipe));
  const paths = [...new Set(differences.flatMap((list) => list.map(({ path }) => path)))];
  const compared: ComparedRun[] = [];
  for (const [i, run] of runs.entries()) {
    const history = await readHistory(run);
    const { loss, dev, indexAge } = curvesOf(history, planRun(recipes[i]));
    const groupNorms = groupSeries(history.steps.groupNorms, SMOOTH_POINTS);
    const jump = jumpAtSwitch(history.steps);
    compared.push({
      path: run.path,
      label: labelOf(run, paths, settingsOf(paths, differences, i)),
      differences: differences[i],
      loss,
      gradientNorm: thin(finite(history.steps.gradientNorm), SMOOTH_POINTS),
      groupNorms,
      lateGradientNorm: mean(lastThird(history.steps.gradientNorm)),
      lateGroupNorms: Object.fromEntries(
        Object.keys(groupNorms).map((group) => [group, mean(lastThird(history.steps.groupNorms[group]))]),
      ),
      dev,
      indexAge,
      ...(Number.isFinite(jump) && { jumpAtSwitch: jump }),
    });
  }
  return compared;
}

function lastThird(values: readonly number[]): number[] {
  return values.slice(-Math.ceil(LATE * values.length)).filter(Number.isFinite);
}

/** A run's value of each setting in which any run differs from the first. */
function settingsOf(paths: readonly string[], all: readonly RecipeDifference[][], run: number): unknown[] {
  return paths.map((path) => {
    const own = all[run].find((difference) => difference.path === path);
    return own ? own.after : all.flat().find((difference) => difference.path === path)?.before;
  });
}

function labelOf(run: RunDirectory, paths: readonly string[], values: readonly unknown[]): string {
  const settings = paths.flatMap((path, i) =>
    // Where the stages are others, their settings do not correspond, and the folder's name has to do.
    paths.includes('stages') && path.startsWith('stages')
      ? []
      : `${path.split('.').slice(-2).join('.')}=${JSON.stringify(values[i])}`,
  );
  const shown = settings.length <= MOST_SETTINGS ? settings.join(' ') : '';
  return [basename(run.path), shown].filter(Boolean).join(': ');
}

function jumpAtSwitch({ loss, negativesVersion }: { loss: number[]; negativesVersion: number[] }): number {
  const jumps: number[] = [];
  for (let step = AROUND_SWITCH; step + AROUND_SWITCH <= loss.length; step++) {
    const [before, now] = [negativesVersion[step - 1], negativesVersion[step]];
    if (!(now > before)) continue;
    jumps.push(mean(loss.slice(step, step + AROUND_SWITCH)) - mean(loss.slice(step - AROUND_SWITCH, step)));
  }
  return mean(jumps.filter(Number.isFinite));
}
