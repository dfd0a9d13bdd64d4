import { isBetter, losesWithoutLabels } from '../run/choose-best.js';
import type { MeasuredSystems } from './measure-systems.js';
import type { SystemName } from './system.js';

/**
 * What to search with, by dev queries: the model that is served, unless words alone, or both together, are better by
 * more than chance. A hybrid has to be better than both of its parts. Where a run began with a part of a model
 * (`beganWithPart`), the whole one takes the place of the trained part that it is better than.
 */
export function recommend(
  values: MeasuredSystems['values'],
  serves: 'start' | 'trained',
  { beganWithPart = false }: { beganWithPart?: boolean } = {},
): SystemName {
  const beats = (system: SystemName, other: SystemName): boolean =>
    values[system] !== undefined && values[other] !== undefined && isBetter(values[system], values[other]);
  const model = beganWithPart && beats('start', 'trained') ? 'start' : serves;
  if (isRecommendedHybrid(values, serves) && (model === serves || beats('hybrid', model))) return 'hybrid';
  return beats('bm25', model) ? 'bm25' : model;
}

/** Whether fusing words and vectors is better than either by more than chance. */
export function isRecommendedHybrid(
  { hybrid, bm25, ...models }: MeasuredSystems['values'],
  serves: 'start' | 'trained',
): boolean {
  const dense = models[serves];
  return Boolean(hybrid && bm25 && dense && isBetter(hybrid, dense) && isBetter(hybrid, bm25));
}

/** How what was trained compares with what it started from; `narrow`: better, but not where documents have no labels. */
export type Verdict = 'better' | 'narrow' | 'level' | 'worse';

/**
 * @param withoutLabels places of the queries whose documents no training query has
 * @param chance how likely a lead may be chance with which the trained model takes the start's place
 */
export function verdictOf(
  { trained, start }: MeasuredSystems['values'],
  withoutLabels?: readonly number[],
  chance?: number,
): Verdict {
  if (!trained || !start) return 'level';
  if (isBetter(trained, start, chance)) {
    return losesWithoutLabels(trained, start, withoutLabels) ? 'narrow' : 'better';
  }
  return isBetter(start, trained) ? 'worse' : 'level';
}
