import type { Plan } from '../run/plan.js';
import { groupSeries } from './group-series.js';
import type { RunHistory } from './history.js';
import { finite, type Series, thin } from './series.js';
import { type SourceCurves, sourceCurvesOf } from './source-curves.js';

/** What a run's events tell about its course (Fig. 4 of the ANCE paper, and what an ANCE run should be watched for). */
export interface Curves {
  /** Steps taken so far. */
  steps: number;
  /** Where each stage begins. */
  stages: { name: string; start: number }[];
  loss: Series;
  /** Before clipping. */
  gradientNorm: Series;
  groupNorms: Record<string, Series>;
  /** The same by source of negatives. */
  sources: Record<string, SourceCurves>;
  learningRate: Series;
  /** Dev measures at each checkpoint that was measured. */
  dev: Record<string, Series>;
  /** How many steps old the checkpoint is that the negatives were mined with. */
  indexAge: Series;
  /** Share of the candidates that each refresh replaced. */
  replaced: Series;
  tokensPerSecond: Series;
  /** Documents that the Inferencer encoded in a second, at each refresh. */
  documentsPerSecond: Series;
  /** What each refresh took. */
  refreshSeconds: { encode: Series; index: Series; search: Series };
}

/** Turns a run's history into curves of a few hundred points each. */
export function curvesOf(
  { steps, refreshes, evaluations }: RunHistory,
  { stages }: Pick<Plan, 'stages'>,
): Curves {
  const age = steps.negativesVersion.map((version, step) => step - version);
  const speed = steps.tokens.map((tokens, step) => tokens / steps.seconds[step]);
  // A pass that was finished by an earlier process took no time in this one.
  const encoded = refreshes.filter(({ encodeSeconds }) => encodeSeconds > 0);
  const measures = [...new Set(evaluations.flatMap((evaluation) => Object.keys(evaluation.measures)))];
  return {
    steps: steps.loss.length,
    stages: stages.map(({ name, start }) => ({ name, start })),
    loss: thin(finite(steps.loss)),
    gradientNorm: thin(finite(steps.gradientNorm)),
    groupNorms: groupSeries(steps.groupNorms),
    sources: sourceCurvesOf(steps, stages),
    learningRate: thin(finite(steps.learningRate)),
    dev: Object.fromEntries(
      measures.map((measure) => [measure, pick(evaluations, (evaluation) => evaluation.measures[measure])]),
    ),
    indexAge: thin(finite(age)),
    replaced: pick(refreshes, ({ replacedShare }) => replacedShare),
    tokensPerSecond: thin(finite(speed)),
    documentsPerSecond: pick(encoded, ({ documents, encodeSeconds }) => documents / encodeSeconds),
    refreshSeconds: {
      encode: pick(refreshes, ({ encodeSeconds }) => encodeSeconds),
      index: pick(refreshes, ({ indexSeconds }) => indexSeconds),
      search: pick(refreshes, ({ searchSeconds }) => searchSeconds),
    },
  };
}

/** What events have of something, over their steps; events that do not have it are left out. */
export function pick<T extends { step: number }>(
  events: readonly T[],
  of: (event: T) => number | undefined,
): Series {
  const known = events.filter((event) => of(event) !== undefined);
  return { x: known.map(({ step }) => step), y: known.map((event) => of(event)!) };
}
