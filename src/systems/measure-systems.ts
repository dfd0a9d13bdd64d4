import type { Qrels } from '../data/index.js';
import { evaluate, pairedTTest, type Run } from '../evaluate/index.js';
import { SYSTEMS, type SystemName, type SystemRow } from './system.js';

/** What each system found; those that there are. */
export type SystemRuns = Partial<Record<SystemName, Run>>;

/** Systems measured on the same queries. */
export interface MeasuredSystems {
  rows: SystemRow[];
  /** Those that were measured. */
  queries: readonly string[];
  /** By the measure that decides, query by query. */
  values: Partial<Record<SystemName, Float64Array>>;
}

/** Measures systems on the same queries; what a system has not found counts as 0. */
export function measureSystems(
  runs: SystemRuns,
  qrels: Qrels,
  { measures, decides }: { measures: readonly string[]; decides: string },
): MeasuredSystems {
  const names = SYSTEMS.filter((name) => runs[name]);
  const evaluations = new Map(
    names.map((name) => [name, evaluate(runs[name]!, qrels, measures, { complete: true })]),
  );
  const valuesOf = (name: SystemName): Float64Array | undefined => evaluations.get(name)?.perQuery[decides];
  const start = valuesOf('start');
  return {
    queries: evaluations.get(names[0])!.queries,
    rows: names.map((system) => ({
      system,
      measures: { ...evaluations.get(system)!.mean },
      ...(start && system !== 'start' && { pValueAgainstStart: pairedTTest(valuesOf(system)!, start).p }),
    })),
    values: Object.fromEntries(names.map((name) => [name, valuesOf(name)])),
  };
}
