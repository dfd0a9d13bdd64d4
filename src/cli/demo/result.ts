import { mean } from '../../base/numbers/mean.js';
import type { Qrels } from '../../data/index.js';
import { correct, evaluate, pairedTTest, type Run } from '../../evaluate/index.js';

export const DEMO_MEASURES = ['RR@10', 'R@1', 'nDCG@10', 'R@100'] as const;

/** The measure that significance is told for. */
export const MAIN_MEASURE = 'RR@10';

export interface DemoSystem {
  name: string;
  run: Run;
  /** 0 for what is not trained. */
  steps: number;
}

/** One line of the demo's table. */
export interface DemoRow {
  system: string;
  steps: number;
  measures: Record<string, number>;
  /** The last system, ANCE, against this one by RR@10; absent for itself. */
  ance?: AnceLead;
}

export interface AnceLead {
  difference: number;
  /** Paired t-test, Holm-corrected over the systems. */
  p: number;
  /** Test queries that ANCE answers better, and worse. */
  wins: number;
  losses: number;
}

/** Measures all systems on the same queries, and the last of them against each other one. */
export function demoRows(systems: readonly DemoSystem[], qrels: Qrels): DemoRow[] {
  const evaluations = systems.map(({ run }) => evaluate(run, qrels, DEMO_MEASURES, { complete: true }));
  const values = evaluations.map(({ perQuery }) => perQuery[MAIN_MEASURE]);
  const ance = values.at(-1)!;
  const others = values.slice(0, -1);
  const p = correct(
    others.map((other) => pairedTTest(ance, other).p),
    'holm',
  );
  return systems.map(({ name, steps }, i) => ({
    system: name,
    steps,
    measures: { ...evaluations[i].mean },
    ...(i < others.length && { ance: lead(ance, others[i], p[i]) }),
  }));
}

function lead(ance: Float64Array, other: Float64Array, p: number): AnceLead {
  const differences = ance.map((value, query) => value - other[query]);
  return {
    difference: mean(differences),
    p,
    wins: differences.filter((value) => value > 0).length,
    losses: differences.filter((value) => value < 0).length,
  };
}
