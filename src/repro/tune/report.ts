import { linePlot } from '../../analyze/plot/line-plot.js';
import { formatTable, type TableFormat } from '../../base/table.js';
import type { TunedCandidate, TuneState } from './tune-file.js';

/** Every candidate, the best first, with what it measured at each rung and how far it came. */
export function tuneTable(state: TuneState, format: TableFormat = 'text'): string {
  const names = [...new Set(state.candidates.flatMap(({ settings }) => Object.keys(settings)))];
  const header = ['', ...names, ...state.sizes.map((_, rung) => `rung ${rung + 1}`), 'steps', 'best', ''];
  const rows = inOrder(state).map((candidate) => [
    candidate.name,
    ...names.map((name) => candidate.settings[name] ?? 'as is'),
    ...state.sizes.map((_, rung) => shown(candidate.results[rung]?.value)),
    String(candidate.results.at(-1)?.step ?? 0),
    shown(candidate.best?.value),
    candidate.name === state.winner ? 'winner' : '',
  ]);
  if (state.start !== undefined) {
    const blanks = names.map(() => '');
    rows.push(['start', ...blanks, ...state.sizes.map(() => ''), '0', shown(state.start), '']);
  }
  const numeric = header.map((_, column) => column > 0 && column < header.length - 1);
  return formatTable({ header, rows, numeric }, format);
}

/** The dev measure of each candidate over its steps. */
export function tunePlot(state: TuneState): string {
  const { start } = state;
  const series = inOrder(state).flatMap((candidate) => {
    const points = candidate.results.filter(({ value }) => value !== null);
    if (points.length === 0) return [];
    const origin = start === undefined ? [] : [{ step: 0, value: start }];
    const all = [...origin, ...points];
    return [
      {
        label: `${candidate.name}  ${labelOf(candidate)}`,
        x: all.map(({ step }) => step),
        y: all.map(({ value }) => value as number),
        draw: 'points' as const,
        ...(candidate.name === state.winner && { width: 3 }),
      },
    ];
  });
  return linePlot({
    title: `${state.recipe}: ${state.measure} on ${state.split}, by successive halving`,
    x: 'step',
    y: state.measure,
    series,
  });
}

/** One sentence: what to use, and whether tuning was worth it. */
export function tuneVerdict(state: TuneState): string {
  const winner = state.candidates.find(({ name }) => name === state.winner);
  if (!winner?.best) return 'nothing was trained to its end';
  const { value, step } = winner.best;
  const found = `${state.measure} ${value.toFixed(4)} on ${state.split} at step ${step} with ${labelOf(winner)}`;
  if (state.start !== undefined && value <= state.start) {
    return `no setting beats the start (${state.measure} ${state.start.toFixed(4)}): the best is ${found}; too few labels, wrong ones, or rates that are too high are the usual causes`;
  }
  return `best: ${found}${state.start === undefined ? '' : ` (start ${state.start.toFixed(4)})`}; chosen on ${state.split}, so the figure is a little too good: measure the test split once, at the end`;
}

function labelOf({ settings }: TunedCandidate): string {
  const parts = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
  return parts.join(', ') || 'the recipe as it is';
}

function inOrder(state: TuneState): TunedCandidate[] {
  const last = ({ results }: TunedCandidate): number => results.at(-1)?.value ?? Number.NEGATIVE_INFINITY;
  const wins = ({ name }: TunedCandidate): number => (name === state.winner ? 1 : 0);
  return [...state.candidates].sort(
    (a, b) => wins(b) - wins(a) || b.results.length - a.results.length || last(b) - last(a),
  );
}

function shown(value: number | null | undefined): string {
  if (value === null) return 'diverged';
  return value === undefined ? '' : value.toFixed(4);
}
