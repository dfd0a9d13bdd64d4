import { basename } from 'node:path';
import { mean } from '../base/numbers/mean.js';
import { pairedTTest } from '../evaluate/index.js';
import type { EvaluationRecipe } from '../recipe/recipe.js';
import type { RunDirectory } from './run-directory.js';
import type { StepEvaluation } from './step-evaluation.js';

/** How likely a difference may be chance that is still taken for one. */
export const CHANCE = 0.05;

/**
 * The probability that a system is as much better than another as it is, or more, where both are equally good: the
 * paired t-test over the queries, one-sided. 1 where it is not better at all.
 */
function chanceOfLead(system: ArrayLike<number>, other: ArrayLike<number>): number {
  const { t, p } = pairedTTest(Float64Array.from(system), Float64Array.from(other));
  return t > 0 ? p / 2 : 1;
}

/** Whether a system is better than another by more than chance, on the same queries. */
export function isBetter(
  system: ArrayLike<number>,
  other: ArrayLike<number>,
  chance: number = CHANCE,
): boolean {
  return chanceOfLead(system, other) < chance;
}

/**
 * How much worse a model may measure on queries whose documents have no labels, of which there are few, before that is
 * taken for more than chance.
 */
const TOLERANCE = 0.02;

/** Whether what a system has won on labelled documents is paid for by the others: on these it is worse. */
export function losesWithoutLabels(
  system: ArrayLike<number>,
  other: ArrayLike<number>,
  withoutLabels: readonly number[] = [],
): boolean {
  if (withoutLabels.length === 0) return false;
  const [of, against] = [system, other].map((values) => withoutLabels.map((place) => values[place]));
  return mean(of) < mean(against) - TOLERANCE || isBetter(against, of);
}

export interface Candidates {
  /** The evaluation of the checkpoint that has just been measured. */
  candidate: StepEvaluation;
  /** Of the model that is in `best/` now. */
  best: StepEvaluation | undefined;
  /** Of what the run started from. */
  start: StepEvaluation | undefined;
}

/**
 * The rule by which a checkpoint takes the place of the model in `best/`: it measures better than that one and, where
 * the recipe says `choose: significant`, better than what the run started from by more than chance, and not worse where
 * documents have no labels. What a run started from is the first to be measured, so it stays where no checkpoint is
 * clearly better: training never makes a retriever worse in silence.
 */
export function replacesBest(
  { best: measure, choose, chance = CHANCE }: Pick<EvaluationRecipe, 'best' | 'choose' | 'chance'>,
  { candidate, best, start }: Candidates,
): boolean {
  if (!best) return true;
  if (candidate.measures[measure] <= best.measures[measure]) return false;
  if (choose === 'best' || !start?.values || !candidate.values) return true;
  if (losesWithoutLabels(candidate.values, start.values, candidate.withoutLabels)) return false;
  return chanceOfLead(candidate.values, start.values) < chance;
}

/** The checkpoint that measures best of those that have learned something, whether `best/` is that one or not. */
export async function leadingCheckpoint(
  run: RunDirectory,
  measure: string,
  newest?: StepEvaluation,
): Promise<StepEvaluation | undefined> {
  const measured = newest ? [newest] : [];
  for (const step of await run.steps('evaluations')) {
    const evaluation = step > 0 ? await readEvaluation(run, step) : undefined;
    if (evaluation) measured.push(evaluation);
  }
  measured.sort((a, b) => a.step - b.step);
  return measured
    .filter(({ step }) => step > 0)
    .reduce<StepEvaluation | undefined>(
      (lead, other) => (lead && lead.measures[measure] >= other.measures[measure] ? lead : other),
      undefined,
    );
}

/** What was measured with a checkpoint; undefined where it was not. */
export async function readEvaluation(run: RunDirectory, step: number): Promise<StepEvaluation | undefined> {
  return run.readJson<StepEvaluation>('evaluations', basename(run.stepPath('evaluations', step)));
}
