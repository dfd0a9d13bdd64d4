import { NearmissError } from '../base/errors.js';
import type { Ranking } from './run.js';

/** What the qrels say about a collection as a whole, for measures that look beyond one query. */
export interface JudgmentPool {
  /** Ids of the documents judged for at least one query. */
  readonly judgedAnywhere: ReadonlySet<string>;
}

/** The relevant hits of a ranking at one relevance level. */
export interface RelevantHits {
  /** Ranks from 1, ascending. */
  readonly ranks: Int32Array;
  /** How many relevant documents there are, found or not. */
  readonly total: number;
}

/** A document that is in the qrels with a negative grade: it was pooled and not judged (TREC's sampled pools). */
const POOLED_UNJUDGED = -1;

/**
 * A ranking seen through the judgments: everything a measure needs. Most hits are not in the qrels, so only those
 * that are get an entry, and a measure costs as much as the query has judged hits.
 */
export class JudgedRanking {
  /** How many documents were retrieved. */
  readonly retrieved: number;
  /** Ranks (from 1, ascending) of the hits that are in the qrels. */
  readonly ranks: Int32Array;
  /** Their grades; {@link POOLED_UNJUDGED} for any negative grade. */
  readonly grades: Float64Array;
  /** The grades of all judged documents, found or not, best first. */
  readonly ideal: Float64Array;
  /** Ids of the hits, best first. */
  readonly ids: readonly string[];
  readonly pool: JudgmentPool;
  /** The rank of the first hit whose text holds an answer; Infinity where none does. */
  readonly answerRank: number;
  readonly #relevant = new Map<number, RelevantHits>();
  #judgedOnly: JudgedRanking | undefined;

  private constructor(fields: {
    ids: readonly string[];
    ranks: Int32Array;
    grades: Float64Array;
    ideal: Float64Array;
    pool: JudgmentPool;
    answerRank: number;
  }) {
    this.retrieved = fields.ids.length;
    this.ids = fields.ids;
    this.ranks = fields.ranks;
    this.grades = fields.grades;
    this.ideal = fields.ideal;
    this.pool = fields.pool;
    this.answerRank = fields.answerRank;
  }

  /** Looks up the judgment of each hit. `ranking` must be in rank order. */
  static from(
    ranking: Ranking,
    judgments: ReadonlyMap<string, number>,
    context: { pool: JudgmentPool; answerRank?: number },
  ): JudgedRanking {
    const ranks: number[] = [];
    const grades: number[] = [];
    const seen = new Set<string>();
    for (let i = 0; i < ranking.ids.length; i++) {
      const id = ranking.ids[i];
      const grade = judgments.get(id);
      if (grade === undefined) continue;
      // Counted twice, a relevant document would make recall exceed 1.
      if (seen.has(id)) throw new NearmissError(`document ${JSON.stringify(id)} is twice in one ranking`);
      seen.add(id);
      ranks.push(i + 1);
      grades.push(grade < 0 ? POOLED_UNJUDGED : grade);
    }
    const ideal = Float64Array.from(judgments.values()).filter((grade) => grade >= 0);
    return new JudgedRanking({
      ids: ranking.ids,
      ranks: Int32Array.from(ranks),
      grades: Float64Array.from(grades),
      ideal: ideal.sort().reverse(),
      pool: context.pool,
      answerRank: context.answerRank ?? Number.POSITIVE_INFINITY,
    });
  }

  /** The hits with a grade of at least `level`. */
  relevant(level: number): RelevantHits {
    let hits = this.#relevant.get(level);
    if (!hits) {
      const { grades, ideal } = this;
      let total = 0;
      while (total < ideal.length && ideal[total] >= level) total++;
      hits = { ranks: this.ranks.filter((_, i) => grades[i] >= level), total };
      this.#relevant.set(level, hits);
    }
    return hits;
  }

  /** How many hits with a grade of 0 or more are among the first `depth`. */
  judgedWithin(depth: number): number {
    let judged = 0;
    for (let i = 0; i < this.ranks.length && this.ranks[i] <= depth; i++) {
      if (this.grades[i] >= 0) judged++;
    }
    return judged;
  }

  /** The same ranking with every hit left out that was not judged, so that those after it move up. */
  judgedOnly(): JudgedRanking {
    if (!this.#judgedOnly) {
      const kept = [...this.ranks.keys()].filter((i) => this.grades[i] >= 0);
      this.#judgedOnly = new JudgedRanking({
        ids: kept.map((i) => this.ids[this.ranks[i] - 1]),
        ranks: Int32Array.from(kept, (_, i) => i + 1),
        grades: Float64Array.from(kept, (i) => this.grades[i]),
        ideal: this.ideal,
        pool: this.pool,
        answerRank: this.answerRank,
      });
    }
    return this.#judgedOnly;
  }
}

/** How many of the ascending `ranks` are at most `depth`. */
export function countWithin(ranks: Int32Array, depth: number): number {
  let count = 0;
  while (count < ranks.length && ranks[count] <= depth) count++;
  return count;
}
