/** Documents and what they score, in any order. */
export interface Scored {
  documents: Uint32Array;
  scores: Float32Array;
}

/** The k best, best first; equal scores have the lower number first. */
export function bestDocuments({ documents, scores }: Scored, k: number): Scored {
  const order = bestPlaces(scores, k, documents);
  return {
    documents: Uint32Array.from(order, (place) => documents[place]),
    scores: Float32Array.from(order, (place) => scores[place]),
  };
}

/** The places of the k largest scores, largest first; of equal ones the lower document first. */
export function bestPlaces(scores: Float32Array, k: number, documents?: Uint32Array): Uint32Array {
  const places = Uint32Array.from(scores, (_, place) => place);
  const number = (place: number): number => documents?.[place] ?? place;
  const before = (a: number, b: number): number => scores[b] - scores[a] || number(a) - number(b);
  if (places.length <= k) return places.sort(before);
  // Only those that reach the k-th score are sorted.
  const threshold = kthLargest(scores, k);
  return places
    .filter((place) => scores[place] >= threshold)
    .sort(before)
    .subarray(0, k);
}

function kthLargest(scores: Float32Array, k: number): number {
  return scores.toSorted()[scores.length - k];
}
