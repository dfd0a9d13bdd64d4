import { centroidOf } from './residual-codec.js';

/** For each centroid the documents that have a token there, ascending and each once. */
export class InvertedLists {
  /** The documents of centroid `c` are `documents[starts[c]] … documents[starts[c + 1] - 1]`. */
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;

  private constructor(starts: Uint32Array, documents: Uint32Array) {
    this.starts = starts;
    this.documents = documents;
  }

  /** @param offsets the tokens of document `i` are `offsets[i] … offsets[i + 1] - 1` */
  static of(codes: Uint32Array, offsets: Uint32Array, centroids: number): InvertedLists {
    const starts = new Uint32Array(centroids + 1);
    const last = new Int32Array(centroids).fill(-1);
    forEachPair(codes, offsets, last, (centroid) => starts[centroid + 1]++);
    for (let centroid = 0; centroid < centroids; centroid++) starts[centroid + 1] += starts[centroid];
    const documents = new Uint32Array(starts[centroids]);
    const next = starts.slice();
    last.fill(-1);
    forEachPair(codes, offsets, last, (centroid, document) => {
      documents[next[centroid]++] = document;
    });
    return new InvertedLists(starts, documents);
  }
}

/** Every pair of a centroid and a document that has a token there, once. */
function forEachPair(
  codes: Uint32Array,
  offsets: Uint32Array,
  last: Int32Array,
  each: (centroid: number, document: number) => void,
): void {
  for (let document = 0; document + 1 < offsets.length; document++) {
    for (let token = offsets[document]; token < offsets[document + 1]; token++) {
      const centroid = centroidOf(codes[token]);
      if (last[centroid] === document) continue;
      last[centroid] = document;
      each(centroid, document);
    }
  }
}
