// Measures written straight from their definitions on a plain list of hits, to check the real ones against.

export interface Case {
  /** Hits, best first. */
  hits: string[];
  judgments: Map<string, number>;
  level: number;
}

const grade = (c: Case, id: string): number | undefined => c.judgments.get(id);
const relevant = (c: Case, id: string): boolean => (grade(c, id) ?? -1) >= c.level;
const totalRelevant = (c: Case): number => [...c.judgments.keys()].filter((id) => relevant(c, id)).length;
const mean = (values: number[], over: number): number =>
  over === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / over;
const precisionAt = (c: Case, k: number): number =>
  c.hits.slice(0, k).filter((id) => relevant(c, id)).length / k;

export const bruteForce: Record<string, (c: Case) => number> = {
  'P@3': (c) => precisionAt(c, 3),
  'R@3': (c) => mean([precisionAt(c, 3) * 3], totalRelevant(c)),
  'Success@2': (c) => Number(c.hits.slice(0, 2).some((id) => relevant(c, id))),
  'RR@4': (c) => {
    const rank = c.hits.slice(0, 4).findIndex((id) => relevant(c, id)) + 1;
    return rank === 0 ? 0 : 1 / rank;
  },
  AP: (c) =>
    mean(
      c.hits.map((id, i) => (relevant(c, id) ? precisionAt(c, i + 1) : 0)),
      totalRelevant(c),
    ),
  'AP@3': (c) =>
    mean(
      c.hits.slice(0, 3).map((id, i) => (relevant(c, id) ? precisionAt(c, i + 1) : 0)),
      totalRelevant(c),
    ),
  Rprec: (c) => (totalRelevant(c) === 0 ? 0 : precisionAt(c, totalRelevant(c))),
  nDCG: (c) => ndcg(c, c.hits.length + c.judgments.size, (value) => value),
  'nDCG@3': (c) => ndcg(c, 3, (value) => value),
  "nDCG(dcg='exp-log2')@3": (c) => ndcg(c, 3, (value) => 2 ** value - 1),
  'nDCG(gains={1:5,2:1})@3': (c) => ndcg(c, 3, (value) => ({ 1: 5, 2: 1 })[value] ?? value),
  'IPrec@0.5': (c) => {
    const needed = Math.round(totalRelevant(c) * 0.5);
    const depths = c.hits.map((_, i) => i + 1);
    const reached = depths.filter((k) => precisionAt(c, k) * k >= needed - 1e-9);
    return Math.max(0, ...reached.map((k) => precisionAt(c, k)));
  },
  Bpref: (c) => {
    const total = totalRelevant(c);
    const judgedOut = [...c.judgments].filter(([id, value]) => value >= 0 && !relevant(c, id)).length;
    const values = c.hits.map((id, i) => {
      if (!relevant(c, id)) return 0;
      const above = c.hits.slice(0, i).filter((other) => (grade(c, other) ?? -1) >= 0 && !relevant(c, other));
      return above.length === 0 ? 1 : 1 - Math.min(above.length, total) / Math.min(judgedOut, total);
    });
    return mean(values, total);
  },
  'Judged@3': (c) => {
    const top = c.hits.slice(0, 3);
    return mean([top.filter((id) => (grade(c, id) ?? -1) >= 0).length], top.length);
  },
  'Hole@3': (c) => {
    const top = c.hits.slice(0, 3);
    return mean([top.filter((id) => (grade(c, id) ?? -1) < 0).length], top.length);
  },
  'RBP(p=0.5,rel=1)@3': (c) =>
    c.hits.slice(0, 3).reduce((sum, id, i) => sum + 0.5 ** (i + 1) * Number((grade(c, id) ?? -1) >= 1), 0),
  SetP: (c) => mean([c.hits.filter((id) => relevant(c, id)).length], c.hits.length),
  SetR: (c) => mean([c.hits.filter((id) => relevant(c, id)).length], totalRelevant(c)),
  'P(judged_only=True)@2': (c) =>
    precisionAt({ ...c, hits: c.hits.filter((id) => (grade(c, id) ?? -1) >= 0) }, 2),
};

function ndcg(c: Case, k: number, gain: (value: number) => number): number {
  const dcg = (grades: number[]): number =>
    grades.slice(0, k).reduce((sum, value, i) => sum + (value < 0 ? 0 : gain(value)) / Math.log2(i + 2), 0);
  const ideal = [...c.judgments.values()].sort((a, b) => (b < 0 ? b : gain(b)) - (a < 0 ? a : gain(a)));
  const best = dcg(ideal);
  return best === 0 ? 0 : dcg(c.hits.map((id) => grade(c, id) ?? -1)) / best;
}
