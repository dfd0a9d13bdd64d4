import { bestPlaces } from './best-documents.js';
import type { InvertedLists } from './inverted-lists.js';

/** Centroids whose documents are looked at, for each row of a query. */
const PROBES = 8;

export interface CandidateLimits {
  /** Documents compared by the centroids of all their tokens. */
  approximate: number;
  /** Documents to give back. */
  exact: number;
  /** Not 0 for each document that may be found. Default: all. */
  among?: Uint8Array;
}

/**
 * Finds documents by the centroids of their tokens alone. A first estimate is gathered from the inverted lists of the
 * centroids nearest to each row of the query: what a document has there, and where it has nothing the lowest score that was
 * looked at (as XTR imputes). The best by that are compared by the centroids of all their tokens.
 */
export class CandidateFinder {
  readonly #lists: InvertedLists;
  readonly #codes: Uint32Array;
  readonly #offsets: Uint32Array;
  /** What documents have gathered, and for which row they did so last; 0 for none. Cleared after each search. */
  readonly #gathered: Float32Array;
  readonly #lastRow: Int32Array;

  constructor(lists: InvertedLists, { codes, offsets }: { codes: Uint32Array; offsets: Uint32Array }) {
    this.#lists = lists;
    this.#codes = codes;
    this.#offsets = offsets;
    this.#gathered = new Float32Array(offsets.length - 1);
    this.#lastRow = new Int32Array(offsets.length - 1);
  }

  /** @param scores [centroids, rows]: of every centroid with every row of the query */
  find(scores: Float32Array, rows: number, { approximate, exact, among }: CandidateLimits): Uint32Array {
    const centroids = scores.length / rows;
    const documents = among ? countOf(among) : this.#offsets.length - 1;
    let found: Uint32Array;
    let estimates: Float32Array;
    for (let probes = Math.min(PROBES, centroids); ; probes = Math.min(2 * probes, centroids)) {
      ({ found, estimates } = this.#gather(scores, rows, probes, among));
      if (found.length >= Math.min(exact, documents) || probes === centroids) break;
    }
    const likely = bestPlaces(estimates, approximate).map((place) => found[place]);
    if (likely.length <= exact) return likely;
    const better = this.#byCentroids(likely, scores, rows);
    return bestPlaces(better, exact).map((place) => likely[place]);
  }

  #gather(
    scores: Float32Array,
    rows: number,
    probes: number,
    among: Uint8Array | undefined,
  ): { found: Uint32Array; estimates: Float32Array } {
    const { starts, documents } = this.#lists;
    const [gathered, lastRow] = [this.#gathered, this.#lastRow];
    const seen: number[] = [];
    for (let row = 0; row < rows; row++) {
      const nearest = nearestCentroids(scores, rows, row, probes);
      const lowest = scores[nearest[nearest.length - 1] * rows + row];
      // Nearest first: what a document gets first is its best.
      for (const centroid of nearest) {
        const gain = scores[centroid * rows + row] - lowest;
        for (let i = starts[centroid]; i < starts[centroid + 1]; i++) {
          const document = documents[i];
          const last = lastRow[document];
          if (last === row + 1 || (among && among[document] === 0)) continue;
          if (last === 0) seen.push(document);
          lastRow[document] = row + 1;
          gathered[document] += gain;
        }
      }
    }
    const found = Uint32Array.from(seen);
    const estimates = Float32Array.from(found, (document) => gathered[document]);
    for (const document of found) {
      gathered[document] = 0;
      lastRow[document] = 0;
    }
    return { found, estimates };
  }

  /** Σᵢ maxⱼ over the centroids of a document's tokens. */
  #byCentroids(candidates: Uint32Array, scores: Float32Array, rows: number): Float32Array {
    const best = new Float32Array(rows);
    const sums = new Float32Array(candidates.length);
    for (let place = 0; place < candidates.length; place++) {
      const document = candidates[place];
      best.fill(Number.NEGATIVE_INFINITY);
      for (let token = this.#offsets[document]; token < this.#offsets[document + 1]; token++) {
        const from = this.#codes[token] * rows;
        for (let row = 0; row < rows; row++) {
          if (scores[from + row] > best[row]) best[row] = scores[from + row];
        }
      }
      let sum = 0;
      for (let row = 0; row < rows; row++) sum += best[row];
      sums[place] = sum;
    }
    return sums;
  }
}

function countOf(among: Uint8Array): number {
  let count = 0;
  for (const may of among) if (may !== 0) count++;
  return count;
}

/** The centroids with the largest scores for a row of the query, largest first; equal ones by number. */
function nearestCentroids(scores: Float32Array, rows: number, row: number, probes: number): number[] {
  const centroids = scores.length / rows;
  const nearest: number[] = [];
  for (let centroid = 0; centroid < centroids; centroid++) {
    const score = scores[centroid * rows + row];
    if (nearest.length === probes && score <= scores[nearest[probes - 1] * rows + row]) continue;
    let place = nearest.length;
    while (place > 0 && scores[nearest[place - 1] * rows + row] < score) place--;
    nearest.splice(place, 0, centroid);
    if (nearest.length > probes) nearest.pop();
  }
  return nearest;
}
