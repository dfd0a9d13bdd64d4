import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { NearmissError, UsageError } from '../../base/errors.js';
import { removeDirectory, writeFileAtomic } from '../../base/files.js';
import { makeDirectory } from '../../base/folders/make-directory.js';
import { secondsSince } from '../../base/numbers/seconds-since.js';
import { changedRecipe, extendsFrom } from '../../recipe/changed-recipe.js';
import { canonicalJson, fingerprintRecipe } from '../../recipe/fingerprint.js';
import { loadRecipe } from '../../recipe/load.js';
import type { Recipe } from '../../recipe/recipe.js';
import { leadingCheckpoint, readEvaluation } from '../../run/choose-best.js';
import { RunDirectory } from '../../run/run-directory.js';
import { beginRun } from '../../train/process/begin-run.js';
import { settleRun } from '../../train/process/settle-run.js';
import { type SuperviseOptions, supervise } from '../../train/process/supervisor.js';
import { measuredSteps, rungSizes, rungSteps } from './rungs.js';
import { asOverrides, combinations, defaultSettings, parseTry, type TunedSetting } from './settings.js';
import { beginTune, saveTune, type TunedCandidate, type TuneState } from './tune-file.js';

export interface TuneOptions {
  data: string;
  /** A built-in recipe or the path of a YAML file. */
  recipe: string;
  /** Folder for the runs, the table and the winner. */
  out: string;
  /** Split that is learned from. Default `train`. */
  split?: string;
  /** Changes to the recipe that all candidates have. */
  set?: readonly string[];
  /** `rate=1e-5,2e-5`; rate and temperature around the recipe's own where left out. */
  tries?: readonly string[];
  /** Share of the candidates that goes on after each rung. Default half. */
  keep?: number;
  supervise: Omit<SuperviseOptions, 'path' | 'until'>;
  /** Told what will be trained, before anything is. */
  onPlan?: (plan: TunePlan) => void | Promise<void>;
  /** Told after every training. */
  onResult?: (candidate: TunedCandidate, state: TuneState) => void;
}

/** A search that has not begun. */
export interface TunePlan {
  base: Recipe;
  /** Each candidate's, by its name. */
  recipes: ReadonlyMap<string, Recipe>;
  /** What each changes, as `--set` takes it. */
  changes: ReadonlyMap<string, string[]>;
  state: TuneState;
}

/** The recipe of the best candidate, in the folder of the search. */
export const WINNER_FILE = 'winner.yaml';

/** What every candidate's recipe has in common: all checkpoints are measured, and none ends early. */
const COMPARABLE = ['evaluation.when=checkpoints', 'evaluation.patience=0'];

/** What a candidate that has lost is not asked for again; what it was and measured stays. */
const HEAVY = ['checkpoints', 'resume', 'index', 'negatives', 'made', 'cache', 'start', 'best'];

/**
 * Searches settings of a recipe by successive halving on the dev split: all candidates are trained for a part of their
 * steps, the better ones go on. Goes on where it was interrupted.
 */
export async function tuneRecipe(options: TuneOptions): Promise<TuneState> {
  const { out, keep = 0.5 } = options;
  const plan = await planTune(options, keep);
  await options.onPlan?.(plan);
  await makeDirectory(out);
  const state = await beginTune(out, plan.state);
  let left = state.candidates;
  for (const [rung, size] of state.sizes.entries()) {
    left = ranked(left, rung).slice(0, size);
    for (const loser of state.candidates.filter((candidate) => !left.includes(candidate))) {
      await clear(out, loser);
    }
    for (const candidate of left) {
      if (candidate.results.length > rung) continue;
      await trainTo(candidate, { plan, state, rung, options });
      await saveTune(out, state);
      options.onResult?.(candidate, state);
    }
  }
  const finished = left.filter(({ best }) => best).sort((a, b) => b.best!.value - a.best!.value);
  if (finished.length === 0) {
    throw new NearmissError(`${out}: every candidate that was left diverged`, {
      hint: 'try smaller learning rates: --try rate=…',
    });
  }
  const [winner, ...others] = finished;
  state.winner = winner.name;
  for (const loser of others) await clear(out, loser);
  await writeFileAtomic(join(out, WINNER_FILE), await winnerFile(winner, plan, options));
  await saveTune(out, state);
  return state;
}

/** Resolves every candidate's recipe, so that what is wrong with one is told before the first is trained. */
async function planTune(options: TuneOptions, keep: number): Promise<TunePlan> {
  const { data, recipe: name, split = 'train' } = options;
  const set = [...(options.set ?? []), ...COMPARABLE];
  const settled = async (changes: readonly string[]): Promise<Recipe> => {
    const { recipe } = await loadRecipe(name, { set: [...set, ...changes] });
    return (await settleRun({ data, split, recipe })).recipe;
  };
  const base = await settled([]);
  if (base.evaluation.split === 'test' || split === 'test') {
    throw new UsageError('tune: the test split is for the end; settings are chosen on another', {
      hint: 'split off a dev set with nearmiss data split, and name it with --set evaluation.split=dev',
    });
  }
  const settings = options.tries?.map((argument) => parseTry(argument, base)) ?? usualSettings(base, keep);
  const recipes = new Map<string, Recipe>();
  const changed = new Map<string, string[]>();
  const candidates: TunedCandidate[] = [];
  const seen = new Set<string>();
  // The recipe as it is comes first: whoever tunes wants to know whether it was worth it.
  for (const combination of [{}, ...combinations(settings)]) {
    const changes = Object.keys(combination).length > 0 ? asOverrides(combination, settings) : [];
    const recipe = await settled(changes);
    const fingerprint = fingerprintRecipe(recipe);
    if (seen.has(fingerprint)) continue;
    seen.add(fingerprint);
    const candidate = `c${String(candidates.length).padStart(2, '0')}`;
    recipes.set(candidate, recipe);
    changed.set(candidate, changes);
    candidates.push({ name: candidate, settings: combination, steps: [], results: [] });
  }
  const sizes = rungSizes(candidates.length, keep);
  for (const candidate of candidates)
    candidate.steps = rungSteps(recipes.get(candidate.name)!, sizes.length, keep);
  const content = {
    data: resolve(data),
    split,
    sizes,
    steps: candidates.map(({ steps }) => steps),
    all: [...seen],
  };
  const state: TuneState = {
    format: 1,
    key: createHash('sha256').update(canonicalJson(content)).digest('hex'),
    recipe: name,
    data,
    split: base.evaluation.split,
    measure: base.evaluation.best,
    sizes,
    candidates,
  };
  return { base, recipes, changes: changed, state };
}

/** What is tried where nothing is asked for: as much as the recipe's checkpoints let be compared. */
function usualSettings(recipe: Recipe, keep: number): TunedSetting[] {
  const settings = defaultSettings(recipe);
  const rungs = rungSizes(combinations(settings).length, keep).length;
  return measuredSteps(recipe).length < rungs ? settings.slice(0, 1) : settings;
}

async function trainTo(
  candidate: TunedCandidate,
  { plan, state, rung, options }: { plan: TunePlan; state: TuneState; rung: number; options: TuneOptions },
): Promise<void> {
  const { data, split = 'train', out } = options;
  const recipe = plan.recipes.get(candidate.name)!;
  const step = candidate.steps[rung];
  const isLast = rung === candidate.steps.length - 1;
  const started = performance.now();
  const run = await beginRun(pathOf(out, candidate), { data, split, recipe }, { quiet: true });
  const result = { step, value: null as number | null, seconds: 0 };
  try {
    await supervise({ ...options.supervise, path: run.path, ...(!isLast && { until: step }) });
    result.value = (await measuredAt(run, step, state.measure)) ?? null;
    if (result.value === null || (isLast && !(await run.isFinished()))) {
      throw new NearmissError(`${run.path}: stopped before step ${step}`, {
        hint: 'the same command goes on with it',
      });
    }
  } catch (error) {
    // A rate that is too high is an answer, not a failure of the search.
    if (!(error instanceof NearmissError) || !/training stopped before the weights/.test(error.message))
      throw error;
  }
  state.start ??= await measuredAt(run, 0, state.measure);
  result.seconds = secondsSince(started);
  candidate.results.push(result);
  const lead = isLast && result.value !== null && (await leadingCheckpoint(run, state.measure));
  if (lead) candidate.best = { step: lead.step, value: lead.measures[state.measure] };
}

/** By their last results, the better first; those that are equal stay in their order, and what diverged is last. */
function ranked(candidates: readonly TunedCandidate[], rung: number): TunedCandidate[] {
  if (rung === 0) return [...candidates];
  const lastOf = ({ results }: TunedCandidate): number =>
    results[rung - 1]?.value ?? Number.NEGATIVE_INFINITY;
  return candidates
    .filter((candidate) => lastOf(candidate) > Number.NEGATIVE_INFINITY)
    .sort((a, b) => lastOf(b) - lastOf(a));
}

async function measuredAt(run: RunDirectory, step: number, measure: string): Promise<number | undefined> {
  return (await readEvaluation(run, step))?.measures[measure];
}

async function clear(out: string, candidate: TunedCandidate): Promise<void> {
  const run = new RunDirectory(pathOf(out, candidate));
  for (const folder of HEAVY) await removeDirectory(run.file(folder));
}

function pathOf(out: string, { name }: TunedCandidate): string {
  return join(out, 'runs', name);
}

/** The winner as a recipe that `train --recipe` loads; how it was compared is not part of it. */
async function winnerFile(
  { name, settings, best }: TunedCandidate,
  { state, changes }: TunePlan,
  options: TuneOptions,
): Promise<string> {
  const { recipe: base } = await loadRecipe(options.recipe);
  const set = [...(options.set ?? []), ...changes.get(name)!];
  const { recipe: changed } = await loadRecipe(options.recipe, { set });
  const shown = Object.entries(settings).map(([setting, value]) => `${setting} ${value}`);
  const description =
    `${options.recipe} with ${shown.join(', ') || 'its own settings'}: the best of ${state.candidates.length}` +
    ` on the split ${state.split} of ${state.data} (${state.measure} ${best!.value.toFixed(4)} at step ${best!.step}).`;
  return changedRecipe({ base, changed, description }, extendsFrom(options.out, options.recipe));
}
