import type { JudgedRanking } from '../judged-ranking.js';
import type { Compute } from '../measure.js';

// Measures of the retrieved documents as a set, and counts.

export const retrieved: Compute = (ranking) => ranking.retrieved;
export const relevant: Compute = (ranking, level) => ranking.relevant(level).total;
export const relevantRetrieved: Compute = (ranking, level) => ranking.relevant(level).ranks.length;
export const nonRelevantJudgedRetrieved: Compute = (ranking, level) =>
  ranking.grades.reduce((count, grade) => count + Number(grade >= 0 && grade < level), 0);

export const setPrecision: Compute = (ranking, level) =>
  share(ranking.relevant(level).ranks.length, ranking.retrieved);

export const setRecall: Compute = (ranking, level) => {
  const { ranks, total } = ranking.relevant(level);
  return share(ranks.length, total);
};

/** Set precision over the best set precision possible. */
export const setRelativePrecision: Compute = (ranking, level) => {
  const { ranks, total } = ranking.relevant(level);
  return share(ranks.length, Math.min(ranking.retrieved, total));
};

export const setAveragePrecision: Compute = (ranking, level) =>
  setPrecision(ranking, level) * setRecall(ranking, level);

/** (b + 1) P R / (R + b P): trec_eval's F, in which `b` is *not* squared. */
export function setF(b: number): Compute {
  return (ranking, level) => {
    const p = setPrecision(ranking, level);
    const r = setRecall(ranking, level);
    return share((b + 1) * p * r, b * p + r);
  };
}

/** What each kind of document is worth: relevant and found, not relevant and found, relevant and missed. */
export function utility([found, noise, missed]: readonly [number, number, number]): Compute {
  return (ranking, level) => {
    const { ranks, total } = ranking.relevant(level);
    return (
      found * ranks.length + noise * (ranking.retrieved - ranks.length) + missed * (total - ranks.length)
    );
  };
}

/** The share of the first k hits that are judged; of fewer where fewer were retrieved (ir_measures' rule). */
export function judged(k: number): Compute {
  return (ranking) => share(ranking.judgedWithin(k), Math.min(k, ranking.retrieved));
}

/** The share of the first k hits without a judgment for this query. */
export function hole(k = Number.POSITIVE_INFINITY): Compute {
  return (ranking) => {
    const depth = Math.min(k, ranking.retrieved);
    return share(depth - ranking.judgedWithin(depth), depth);
  };
}

/** BEIR's hole: hits among the first k that are not judged for *any* query, over k. */
export function holeAnywhere(k: number): Compute {
  return (ranking) => {
    const { judgedAnywhere } = ranking.pool;
    return ranking.ids.slice(0, k).filter((id) => !judgedAnywhere.has(id)).length / k;
  };
}

/** trec_eval's `unj`: hits without a judgment among the first k, over k; places left empty count as judged. */
export function unjudged(k: number): Compute {
  return (ranking) => {
    const depth = Math.min(k, ranking.retrieved);
    return (depth - ranking.judgedWithin(depth)) / k;
  };
}

/** 1 where one of the first k passages holds an answer (DPR's top-k accuracy). */
export function coverage(k: number): Compute {
  return (ranking) => Number(ranking.answerRank <= k);
}

/** The grades of the first hits as a text: `-` is not in the qrels, `.` pooled and not judged, `>` above 9. */
export function gradeString(length: number): (ranking: JudgedRanking) => string {
  return (ranking) => {
    const characters = new Array(Math.min(length, ranking.retrieved)).fill('-');
    for (let i = 0; i < ranking.ranks.length && ranking.ranks[i] <= length; i++) {
      const grade = ranking.grades[i];
      characters[ranking.ranks[i] - 1] = grade > 9 ? '>' : grade < 0 ? '.' : String(grade);
    }
    return characters.join('');
  };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
