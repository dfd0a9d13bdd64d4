import { placesOfBest } from './best-documents.js';
import type { InvertedLists } from './inverted-lists.js';

/** Centroids whose documents are looked at, for each row of a query. */
const PROBES = 8;

export interface CandidateLimits {
  /** Documents to give back, at most. */
  most: number;
  /** Documents to find, as far as there are so many: more centroids are looked at until then. */
  least: number;
  /** Not 0 for each document that may be found. Default: all. */
  among?: Uint8Array;
}

/**
 * Finds documents by the inverted lists of the centroids nearest to each row of a query: an estimate is gathered of what a document
 * has there, and where it has nothing, of the lowest score that was looked at (as XTR imputes).
 */
export class CandidateFinder {
  readonly #lists: InvertedLists;
  /** What documents have gathered, and for which row they did so last; 0 for none. Cleared after each search. */
  readonly #gathered: Float32Array;
  readonly #lastRow: Int32Array;
  readonly #seen: Uint32Array;

  constructor(lists: InvertedLists, documents: number) {
    this.#lists = lists;
    this.#gathered = new Float32Array(documents);
    this.#lastRow = new Int32Array(documents);
    this.#seen = new Uint32Array(documents);
  }

  /**
   * In no order.
   *
   * @param scores [centroids, rows]: of every centroid with every row of the query
   */
  find(scores: Float32Array, rows: number, { most, least, among }: CandidateLimits): Uint32Array {
    const centroids = scores.length / rows;
    const documents = among ? countOf(among) : this.#seen.length;
    let found: Uint32Array;
    let estimates: Float32Array;
    for (let probes = Math.min(PROBES, centroids); ; probes = Math.min(2 * probes, centroids)) {
      ({ found, estimates } = this.#gather(scores, rows, probes, among));
      if (found.length >= Math.min(least, documents) || probes === centroids) break;
    }
    return placesOfBest(estimates, most).map((place) => found[place]);
  }

  #gather(
    scores: Float32Array,
    rows: number,
    probes: number,
    among: Uint8Array | undefined,
  ): { found: Uint32Array; estimates: Float32Array } {
    const { starts, documents } = this.#lists;
    const [gathered, lastRow, seen] = [this.#gathered, this.#lastRow, this.#seen];
    const nearest = nearestCentroids(scores, rows, probes);
    let count = 0;
    for (let row = 0; row < rows; row++) {
      const lowest = scores[nearest[(row + 1) * probes - 1] * rows + row];
      // Nearest first: what a document gets first is its best.
      for (let rank = 0; rank < probes; rank++) {
        const centroid = nearest[row * probes + rank];
        const gain = scores[centroid * rows + row] - lowest;
        for (let i = starts[centroid]; i < starts[centroid + 1]; i++) {
          const document = documents[i];
          const last = lastRow[document];
          if (last === row + 1 || (among && among[document] === 0)) continue;
          if (last === 0) seen[count++] = document;
          lastRow[document] = row + 1;
          gathered[document] += gain;
        }
      }
    }
    const found = seen.slice(0, count);
    const estimates = new Float32Array(count);
    for (let i = 0; i < count; i++) {
      const document = found[i];
      estimates[i] = gathered[document];
      gathered[document] = 0;
      lastRow[document] = 0;
    }
    return { found, estimates };
  }
}

function countOf(among: Uint8Array): number {
  let count = 0;
  for (const may of among) if (may !== 0) count++;
  return count;
}

/** [rows, probes]: the centroids with the largest scores for each row of the query, largest first; equal ones by number. */
function nearestCentroids(scores: Float32Array, rows: number, probes: number): Int32Array {
  const nearest = new Int32Array(rows * probes);
  const best = new Float32Array(rows * probes).fill(Number.NEGATIVE_INFINITY);
  const centroids = scores.length / rows;
  for (let centroid = 0, at = 0; centroid < centroids; centroid++) {
    for (let row = 0; row < rows; row++, at++) {
      const score = scores[at];
      const start = row * probes;
      let place = start + probes - 1;
      if (score <= best[place]) continue;
      for (; place > start && best[place - 1] < score; place--) {
        best[place] = best[place - 1];
        nearest[place] = nearest[place - 1];
      }
      best[place] = score;
      nearest[place] = centroid;
    }
  }
  return nearest;
}
