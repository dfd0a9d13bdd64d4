import { mean } from '../../base/numbers/mean.js';
import { type Evaluation, evaluate, type Ranking, sharedHits } from '../../evaluate/index.js';
import { evaluationSet } from '../../run/training-data.js';
import type { OpenCheckpoint } from './open-checkpoint.js';
import { modelRankings, sparseRankings } from './rankings.js';

const CUTOFFS = [10, 100];

/** How much the model and BM25 find the same, and how much of it anybody has judged (Table 6 of the ANCE paper). */
export interface Bm25Overlap {
  split: string;
  queries: number;
  rows: {
    cutoff: number;
    /** Share of the first hits that have no judgment for their query. */
    holes: { model: number; bm25: number };
    /** Share of the first hits that both have. */
    shared: number;
  }[];
  measures: Record<string, { model: number; bm25: number }>;
  /** Queries on which the model is better, equal or worse than BM25 by the recipe's main measure. */
  against: { measure: string; wins: number; ties: number; losses: number };
}

export async function bm25Overlap(checkpoint: OpenCheckpoint): Promise<Bm25Overlap> {
  const { recipe, data } = checkpoint;
  const { split, queries: limit, best } = recipe.evaluation;
  const dev = await evaluationSet(data, { split, limit, seed: recipe.seed });
  const depth = Math.max(...CUTOFFS);
  const model = await modelRankings(checkpoint, dev.queries, depth);
  const bm25 = await sparseRankings(checkpoint, dev.queries, depth);
  // Coverage needs the texts of all that was found; holes and overlaps do not.
  const wanted = [...new Set([best, ...recipe.evaluation.measures])].filter(
    (name) => !name.startsWith('Coverage'),
  );
  const names = [...wanted, ...CUTOFFS.map((cutoff) => `Judged@${cutoff}`)];
  const of = (tag: string, rankings: Map<string, Ranking>): Evaluation =>
    evaluate({ tag, rankings }, dev.qrels, names, { complete: true });
  const results = { model: of('model', model), bm25: of('bm25', bm25) };
  const both = (name: string): { model: number; bm25: number } => ({
    model: results.model.mean[name],
    bm25: results.bm25.mean[name],
  });
  const shared = (cutoff: number): number =>
    mean([...model].map(([id, { ids }]) => sharedHits(ids, bm25.get(id)?.ids ?? [], cutoff)));
  const main = wanted[0] ?? `Judged@${CUTOFFS[0]}`;
  return {
    split,
    queries: dev.queries.length,
    rows: CUTOFFS.map((cutoff) => {
      const judged = both(`Judged@${cutoff}`);
      return {
        cutoff,
        holes: { model: 1 - judged.model, bm25: 1 - judged.bm25 },
        shared: shared(cutoff),
      };
    }),
    measures: Object.fromEntries(wanted.map((name) => [name, both(name)])),
    against: { measure: main, ...tally(results.model.perQuery[main], results.bm25.perQuery[main]) },
  };
}

function tally(model: Float64Array, bm25: Float64Array): { wins: number; ties: number; losses: number } {
  const signs = Array.from(model, (value, i) => Math.sign(value - bm25[i]));
  const count = (sign: number): number => signs.filter((other) => other === sign).length;
  return { wins: count(1), ties: count(0), losses: count(-1) };
}
