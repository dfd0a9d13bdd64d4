import type { Plan } from '../../run/plan.js';
import { type Curves, curvesOf, pick } from '../curves.js';
import type { RunHistory } from '../history.js';
import { finite, type Series, thin } from '../series.js';

/** All curves of a run, as a page shows them while it is going on. */
export interface RunCurves extends Omit<Curves, 'sources'> {
  /** The gradient norm by source of negatives. */
  sourceNorms: Record<string, Series>;
  /** The checkpoint whose negatives served each step: a staircase, by its corners. */
  negativesVersion: Series;
  /** What the task said of its batches, by name: `teacherMargin`, `maskedShare`. */
  figures: Record<string, Series>;
  /** Kendall's τ of student and teacher on dev lists, at checkpoints. */
  agreement: Series;
}

export function runCurvesOf(history: RunHistory, plan: Pick<Plan, 'stages'>): RunCurves {
  const { steps } = history;
  const { sources, ...curves } = curvesOf(history, plan);
  const flights = flightsOf(steps.negativesVersion);
  return {
    ...curves,
    sourceNorms: Object.fromEntries(
      Object.entries(sources).map(([source, { gradientNorm }]) => [source, gradientNorm]),
    ),
    negativesVersion: cornersOf(flights, ({ version }) => version),
    figures: Object.fromEntries(
      Object.entries(steps.figures).map(([name, column]) => [name, thin(finite(column))]),
    ),
    agreement: pick(history.evaluations, ({ agreement }) => agreement),
    // By its corners, too: thinned, a saw loses its teeth.
    indexAge: cornersOf(flights, ({ version }, step) => step - version),
  };
}

/** Steps in a row that one version of the negatives served. */
interface Flight {
  version: number;
  first: number;
  last: number;
}

function flightsOf(versions: readonly number[]): Flight[] {
  const flights: Flight[] = [];
  versions.forEach((version, step) => {
    if (Number.isNaN(version)) return;
    const current = flights.at(-1);
    if (current?.version === version) current.last = step;
    else flights.push({ version, first: step, last: step });
  });
  return flights;
}

function cornersOf(flights: readonly Flight[], value: (flight: Flight, step: number) => number): Series {
  const corners: Series = { x: [], y: [] };
  for (const flight of flights) {
    for (const step of new Set([flight.first, flight.last])) {
      corners.x.push(step);
      corners.y.push(value(flight, step));
    }
  }
  return thin(corners);
}
