import type { Qrels } from '../../data/index.js';
import { type Comparison, compareRuns, type Run } from '../../evaluate/index.js';
import {
  CASE_MEASURES,
  type CaseMeasure,
  QUALITY_SYSTEMS,
  type Quality,
  type QualityDifference,
  type QualitySystem,
  type QualitySystemName,
} from './quality.js';

export interface SummarizeOptions {
  runs: Partial<Record<QualitySystemName, Run>> & { bm25: Run; model: Run };
  qrels: Qrels;
  /** Measures beside those of the cases. */
  measures: readonly string[];
  step: number;
  /** By id. */
  texts: ReadonlyMap<string, string>;
}

/** Compares the systems with BM25, over all queries and on each. */
export function summarizeQuality(
  options: SummarizeOptions,
): Pick<Quality, 'measures' | 'systems' | 'queries'> {
  const { runs, qrels, step, texts } = options;
  const measures = [...new Set([...CASE_MEASURES, ...options.measures])];
  const names = QUALITY_SYSTEMS.filter((name) => runs[name]);
  const comparison = compareRuns(
    names.map((name) => runs[name]!),
    qrels,
    measures,
    // Only the t-test is shown; the randomisation test would take most of the time.
    { baseline: 0, complete: true, permutations: 1 },
  );
  const { evaluations, queries } = comparison;
  const value = (name: QualitySystemName, measure: CaseMeasure, query: number): number =>
    evaluations[names.indexOf(name)].perQuery[measure][query];
  return {
    measures,
    systems: names.map((name, i) => systemOf(name, i, { comparison, step })),
    queries: queries.map((id, query) => ({
      id,
      text: texts.get(id) ?? '',
      values: Object.fromEntries(
        CASE_MEASURES.map((measure) => [
          measure,
          { bm25: value('bm25', measure, query), model: value('model', measure, query) },
        ]),
      ) as Record<CaseMeasure, { bm25: number; model: number }>,
    })),
  };
}

/** What a system is called. */
export function systemLabel(name: QualitySystemName, step: number): string {
  const labels: Record<QualitySystemName, string> = {
    bm25: 'BM25',
    base: 'base model, as published',
    start: 'start: what training began with',
    model: `trained model, step ${step}`,
    hybrid: 'hybrid: BM25 and trained model',
  };
  return labels[name];
}

function systemOf(
  name: QualitySystemName,
  place: number,
  { comparison, step }: { comparison: Comparison; step: number },
): QualitySystem {
  const pairs = comparison.pairs.filter(({ system }) => system === place);
  const against = Object.fromEntries(
    pairs.map(({ measure, difference, p, significant, wins, ties, losses }): [string, QualityDifference] => [
      measure,
      { difference, p: p.t, significant, wins, ties, losses },
    ]),
  );
  return {
    name,
    label: systemLabel(name, step),
    means: { ...comparison.evaluations[place].mean },
    ...(pairs.length > 0 && { against }),
  };
}
