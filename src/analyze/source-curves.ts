import { type PlannedStage, sourcesOf } from '../run/plan.js';
import { groupSeries } from './group-series.js';
import type { GradientColumns, StepColumns } from './history.js';
import { finite, type Series, thin } from './series.js';

/** What the negatives of one source teach. */
export interface SourceCurves {
  loss: Series;
  /** Before clipping. */
  gradientNorm: Series;
  groupNorms: Record<string, Series>;
}

/**
 * Curves by source of negatives (Fig. 4 of the ANCE paper). Where a stage's sources were measured by themselves, those
 * numbers count; else each step's own do, for its one source or for the mixture: `in-batch + ann`.
 */
export function sourceCurvesOf(
  steps: StepColumns,
  stages: readonly PlannedStage[],
): Record<string, SourceCurves> {
  const columns = new Map<string, GradientColumns>();
  for (const stage of stages) {
    for (const [name, found] of columnsOf(steps, stage)) {
      const own = columns.get(name) ?? { loss: [], gradientNorm: [], groupNorms: {} };
      columns.set(name, own);
      copySteps(found, own, stage);
    }
  }
  const curves = [...columns].map(([name, { loss, gradientNorm, groupNorms }]) => {
    const series = { loss: thin(finite(loss)), gradientNorm: thin(finite(gradientNorm)) };
    return [name, { ...series, groupNorms: groupSeries(groupNorms) }] as const;
  });
  return Object.fromEntries(curves.filter(([, { gradientNorm }]) => gradientNorm.x.length > 0));
}

function columnsOf(steps: StepColumns, stage: PlannedStage): [string, GradientColumns][] {
  const sources = sourcesOf(stage);
  const measured = sources.filter((source) =>
    steps.sources[source]?.gradientNorm.slice(stage.start, stage.end).some(Number.isFinite),
  );
  if (measured.length === 0) return [[sources.join(' + ') || 'none', steps]];
  return measured.map((source) => [source, steps.sources[source]]);
}

function copySteps(from: GradientColumns, to: GradientColumns, stage: PlannedStage): void {
  copyColumn(from.loss, to.loss, stage);
  copyColumn(from.gradientNorm, to.gradientNorm, stage);
  for (const [group, norms] of Object.entries(from.groupNorms)) {
    to.groupNorms[group] ??= [];
    copyColumn(norms, to.groupNorms[group], stage);
  }
}

function copyColumn(from: readonly number[], to: number[], { start, end }: PlannedStage): void {
  while (to.length < start) to.push(Number.NaN);
  for (let step = start; step < Math.min(end, from.length); step++) to.push(from[step]);
}
