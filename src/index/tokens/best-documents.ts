/** Documents, ascending, and what they score. */
export interface Scored {
  documents: Uint32Array;
  scores: Float32Array;
}

/** The k best, best first; equal scores have the lower number first. */
export function bestDocuments({ documents, scores }: Scored, k: number): Scored {
  const order = placesOfBest(scores, k).sort((a, b) => scores[b] - scores[a] || a - b);
  return {
    documents: order.map((place) => documents[place]),
    scores: Float32Array.from(order, (place) => scores[place]),
  };
}

/** The places of the k largest scores, ascending; of equal ones the first. */
export function placesOfBest(scores: Float32Array, k: number): Uint32Array {
  if (scores.length <= k) return Uint32Array.from(scores, (_, place) => place);
  const threshold = kthLargest(scores, k);
  let above = 0;
  for (let place = 0; place < scores.length; place++) if (scores[place] > threshold) above++;
  const places = new Uint32Array(k);
  let [found, level] = [0, k - above];
  for (let place = 0; found < k; place++) {
    if (scores[place] > threshold || (scores[place] === threshold && level-- > 0)) places[found++] = place;
  }
  return places;
}

/** Hoare's selection: parts are swapped until the k-th largest stands in its place, without sorting the others. */
function kthLargest(scores: Float32Array, k: number): number {
  const numbers = scores.slice();
  const wanted = k - 1;
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const pivot = numbers[(low + high) >> 1];
    let [left, right] = [low, high];
    while (left <= right) {
      while (numbers[left] > pivot) left++;
      while (numbers[right] < pivot) right--;
      if (left > right) break;
      const other = numbers[left];
      numbers[left++] = numbers[right];
      numbers[right--] = other;
    }
    if (wanted <= right) high = right;
    else if (wanted >= left) low = left;
    else break;
  }
  return numbers[wanted];
}
