import { NearmissError } from '../../base/errors.js';
import { CODED_LENGTHS } from './document-length.js';

/** What a similarity may know of the collection. */
export interface CollectionStatistics {
  /** Documents that have at least one term. */
  documents: number;
  averageLength: number;
}

/**
 * A term's score in a document is `weight(term) × part(tf, length)`, where part never falls as tf grows and
 * never grows with the length. That is all the search and its bounds assume.
 */
export interface Similarity {
  readonly name: string;
  weight(documentFrequency: number, statistics: CollectionStatistics): number;
  part(termFrequency: number, length: number, statistics: CollectionStatistics): number;
  /** The greatest part there can be, where it does not follow from a document that repeats one term throughout. */
  readonly greatest?: number;
}

export interface Bm25Parameters {
  /** How fast repetitions of a term saturate; 0 counts only presence. Default 0.9. */
  k1?: number;
  /** How much long documents are punished, 0 to 1. Default 0.4. */
  b?: number;
}

export const DEFAULT_K1 = 0.9;
export const DEFAULT_B = 0.4;

/**
 * BM25 as Lucene computes it (Robertson & Zaragoza 2009, with an idf that stays positive and without the
 * constant factor k1 + 1): `ln(1 + (N − df + ½)/(df + ½)) · tf / (tf + k1 (1 − b + b · dl/avgdl))`.
 */
export function bm25({ k1 = DEFAULT_K1, b = DEFAULT_B }: Bm25Parameters = {}): Similarity {
  if (!(k1 >= 0 && Number.isFinite(k1)))
    throw new NearmissError(`k1: expected a number from 0 up, got ${k1}`);
  if (!(b >= 0 && b <= 1)) throw new NearmissError(`b: expected a number from 0 to 1, got ${b}`);
  return {
    name: `bm25(k1=${k1},b=${b})`,
    weight: (df, { documents }) => Math.log(1 + (documents - df + 0.5) / (df + 0.5)),
    part: (tf, length, { averageLength }) => tf / (tf + k1 * (1 - b + b * (length / averageLength))),
  };
}

/** TF-IDF as Lucene's ClassicSimilarity computes it: `idf² · √tf / √dl` with `idf = 1 + ln((N + 1)/(df + 1))`. */
export function tfIdf(): Similarity {
  return {
    name: 'tfidf',
    weight: (df, { documents }) => (1 + Math.log((documents + 1) / (df + 1))) ** 2,
    part: (tf, length) => Math.sqrt(tf) / Math.sqrt(Math.max(1, length)),
  };
}

/** The greatest weight of a term in a document: 16 bits, so that sums of products stay exact. */
export const MAX_IMPACT = 0xffff;

/** What an index of weights stores is the score: the sum over the query's terms of their weight in query and document. */
export function impacts(): Similarity {
  return { name: 'impacts', weight: () => 1, part: (impact) => impact, greatest: MAX_IMPACT };
}

/**
 * Bits kept of a part, and of a weight in queries of up to 2⁹ terms. Their products and the sums of the products
 * then fit the 53 bits of a double: additions are exact, so a score does not depend on the order in which its terms
 * are added, and pruned search returns bit for bit what exhaustive search does. Lucene's floats keep two bits more.
 */
const PRECISION_BITS = 22;
const DOUBLE_BITS = 53;

/** Frequencies below this are looked up, the few above computed. */
export const TABLE_FREQUENCIES = 64;

/** A similarity's parts for every (frequency, coded length), rounded so that sums are exact. */
export class PartTable {
  /** `parts[frequency * 256 + lengthCode]`, for frequencies below {@link TABLE_FREQUENCIES}. */
  readonly parts = new Float64Array(TABLE_FREQUENCIES * 256);
  readonly #similarity: Similarity;
  readonly #statistics: CollectionStatistics;
  readonly #scale: number;

  constructor(similarity: Similarity, statistics: CollectionStatistics) {
    this.#similarity = similarity;
    this.#statistics = statistics;
    // No part is greater than that of a document which repeats one term throughout.
    const greatest =
      similarity.greatest ??
      CODED_LENGTHS.reduce(
        (most, length) => Math.max(most, similarity.part(length || 1, length, statistics)),
        0,
      );
    this.#scale = fixedPointScale(greatest, PRECISION_BITS);
    for (let frequency = 1; frequency < TABLE_FREQUENCIES; frequency++) {
      for (let code = 0; code < 256; code++)
        this.parts[frequency * 256 + code] = this.#compute(frequency, code);
    }
  }

  part(frequency: number, lengthCode: number): number {
    if (frequency < TABLE_FREQUENCIES) return this.parts[frequency * 256 + lengthCode];
    return this.#compute(frequency, lengthCode);
  }

  #compute(frequency: number, lengthCode: number): number {
    const part = this.#similarity.part(frequency, CODED_LENGTHS[lengthCode], this.#statistics);
    return Math.round(part * this.#scale) / this.#scale;
  }
}

/** Rounds a query's weights alike, so that what is said at {@link PRECISION_BITS} holds. */
export function roundWeights(weights: Float64Array): void {
  const greatest = weights.reduce((most, weight) => Math.max(most, weight), 0);
  const spare = DOUBLE_BITS - PRECISION_BITS - Math.ceil(Math.log2(weights.length || 1));
  const scale = fixedPointScale(greatest, Math.min(PRECISION_BITS, spare));
  for (let i = 0; i < weights.length; i++) weights[i] = Math.round(weights[i] * scale) / scale;
}

/** The power of two that makes integers of at most `bits` bits of values up to `greatest`. */
function fixedPointScale(greatest: number, bits: number): number {
  return greatest > 0 ? 2 ** (bits - Math.ceil(Math.log2(greatest))) : 1;
}
