import type { ChartSpec, ShownRun } from './chart-specs.js';
import { formatShare } from './format.js';
import type { RunCurves, Series } from './runs-api.js';

const NOTHING: Series = { x: [], y: [] };

/** What is drawn of runs with a teacher. */
export function teachingCharts(runs: readonly ShownRun[]): ChartSpec[] {
  const lines = (alone: string, of: (curves: RunCurves) => Series | undefined) =>
    runs.map(({ name, curves, colour }) => {
      const { x, y } = of(curves) ?? NOTHING;
      return { name: runs.length === 1 ? alone : name, x, y, colour };
    });
  return [
    {
      title: 'Margin of the teacher',
      description: 'its score of the positive less that of a negative, mean over the batch',
      yLabel: 'score',
      series: lines('margin', ({ figures }) => figures.teacherMargin),
    },
    {
      title: 'Agreement with the teacher',
      description: "Kendall's τ of the two orders on dev lists, at each checkpoint that was measured",
      yLabel: 'τ',
      series: lines('τ', ({ agreement }) => agreement).map((line) => ({ ...line, dots: true })),
    },
    {
      title: 'Negatives that the guide left out',
      description: 'share of those that were drawn',
      yLabel: 'share',
      format: formatShare,
      series: lines('left out', ({ figures }) => figures.maskedShare),
    },
  ];
}
