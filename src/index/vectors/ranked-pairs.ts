/**
 * Selecting and sorting (score, id) pairs kept in two arrays. The order is total: higher score first, then lower
 * id. Ranges are half-open.
 */

/** Below this many pairs insertion beats partitioning. */
const SMALL = 16;

/** Sorts the pairs of a range, best first. */
export function sortPairs(scores: Float32Array, ids: Int32Array, from: number, to: number): void {
  let low = from;
  let high = to;
  // Recursing into the smaller side only keeps the depth logarithmic.
  while (high - low > SMALL) {
    const split = partition(scores, ids, low, high);
    if (split - low < high - split) {
      sortPairs(scores, ids, low, split);
      low = split;
    } else {
      sortPairs(scores, ids, split, high);
      high = split;
    }
  }
  insertionSort(scores, ids, low, high);
}

/** Moves the best `k` pairs of a range to its front, the worst of them last (Hoare's quickselect). */
export function selectPairs(
  scores: Float32Array,
  ids: Int32Array,
  from: number,
  to: number,
  k: number,
): void {
  const wanted = from + k - 1;
  let low = from;
  let high = to;
  while (high - low > SMALL) {
    const split = partition(scores, ids, low, high);
    if (wanted < split) high = split;
    else low = split;
  }
  insertionSort(scores, ids, low, high);
}

/** Splits a range in two non-empty parts, every pair of the first better than every pair of the second. */
function partition(scores: Float32Array, ids: Int32Array, from: number, to: number): number {
  const middle = (from + to) >>> 1;
  // With the median of three in the middle the ends stop both scans.
  if (precedes(scores, ids, middle, from)) swap(scores, ids, middle, from);
  if (precedes(scores, ids, to - 1, middle)) {
    swap(scores, ids, to - 1, middle);
    if (precedes(scores, ids, middle, from)) swap(scores, ids, middle, from);
  }
  const pivot = scores[middle];
  const pivotId = ids[middle];
  let left = from;
  let right = to - 1;
  for (;;) {
    while (scores[left] > pivot || (scores[left] === pivot && ids[left] < pivotId)) left++;
    while (scores[right] < pivot || (scores[right] === pivot && ids[right] > pivotId)) right--;
    if (left >= right) return left;
    swap(scores, ids, left++, right--);
  }
}

function insertionSort(scores: Float32Array, ids: Int32Array, from: number, to: number): void {
  for (let next = from + 1; next < to; next++) {
    const score = scores[next];
    const id = ids[next];
    let at = next;
    while (at > from && (scores[at - 1] < score || (scores[at - 1] === score && ids[at - 1] > id))) {
      scores[at] = scores[at - 1];
      ids[at] = ids[at - 1];
      at--;
    }
    scores[at] = score;
    ids[at] = id;
  }
}

function precedes(scores: Float32Array, ids: Int32Array, a: number, b: number): boolean {
  return scores[a] > scores[b] || (scores[a] === scores[b] && ids[a] < ids[b]);
}

function swap(scores: Float32Array, ids: Int32Array, a: number, b: number): void {
  const score = scores[a];
  const id = ids[a];
  scores[a] = scores[b];
  ids[a] = ids[b];
  scores[b] = score;
  ids[b] = id;
}
