import { defaultLists, LIST_ROUNDS, listSample } from '../../index/quantized/quantize.js';
import type { CodeKind } from '../../index/quantized/scan-kernel.js';
import { defaultProbes, defaultRescore } from '../../index/quantized/search-effort.js';
import type { UsedPrecision } from '../../model/precision/precision.js';

/** What was measured, and on how many cores: docs/scaling.md says how. */
export const MEASURED = {
  /** MiniLM's tokens a second on one core, texts of 128 tokens (`npm run bench:precision`). */
  encode: {
    fp32: 9_919,
    int8: 22_299,
    layers: 6,
    hiddenSize: 384,
    tokens: 128,
  },
  /** Vectors of 128 numbers on two cores (`npm run bench:ann`, clusters of 1,000). */
  index: {
    cores: 2,
    dimension: 128,
    points: [
      { vectors: 10_000, hnswBuildSeconds: 2.4, hnswQueries: 4_225 },
      { vectors: 100_000, hnswBuildSeconds: 16.8, hnswQueries: 3_907 },
      { vectors: 1_000_000, hnswBuildSeconds: 344, hnswQueries: 1_695 },
    ],
    /** Exact search: in proportion from the last on. */
    flat: [
      { vectors: 10_000, queries: 7_673 },
      { vectors: 100_000, queries: 3_599 },
    ],
  },
  /** Processor time of codes, fitted to 10⁵ and 10⁶ × 64 (`npm run bench:scale`). */
  codes: {
    /** To read, write and code a number of a vector. */
    buildSecondsOfNumber: 5.5e-8,
    /** To multiply a number of a vector with that of a centre, when lists are found and vectors assigned. */
    buildSecondsOfProduct: 2e-11,
    /** To compare a number of a query with that of a code. */
    secondsOfNumber: { int8: 5.8e-11, binary: 2e-11 },
    /** To compare a number of a query with that of a list's centre, to look into a list, to read a whole vector and compare it. */
    secondsOfCentre: 1.7e-9,
    secondsOfProbe: 2.1e-6,
    secondsOfWhole: 2.7e-6,
  },
} as const;

export interface EncoderSize {
  layers: number;
  hiddenSize: number;
  /** Of a text. */
  tokens: number;
}

/** Tokens a second on one core: what was measured, by the multiplications a token takes. */
export function encodeTokensPerSecond(precision: UsedPrecision, size: EncoderSize): number {
  return MEASURED.encode[precision] * (operations(MEASURED.encode) / operations(size));
}

/** Of one token: 12 h² weights in a layer, and as many keys and values as the text has tokens. */
function operations({ layers, hiddenSize, tokens }: EncoderSize): number {
  return layers * (24 * hiddenSize ** 2 + 4 * tokens * hiddenSize);
}

/** Exact queries a second on one core. */
export function flatQueriesPerSecond(vectors: number, dimension: number): number {
  const { flat, cores, dimension: measured } = MEASURED.index;
  const last = flat[flat.length - 1];
  const queries =
    vectors > last.vectors
      ? (last.queries * last.vectors) / vectors
      : alongLine(
          flat.map((point) => [point.vectors, point.queries]),
          vectors,
        );
  return (queries / cores) * (measured / dimension);
}

/** Core seconds that a graph takes to build. */
export function hnswBuildCoreSeconds(vectors: number, dimension: number): number {
  const { cores, dimension: measured, points } = MEASURED.index;
  const seconds = alongLine(
    points.map((point) => [point.vectors, point.hnswBuildSeconds]),
    vectors,
  );
  return seconds * cores * (dimension / measured);
}

/** Queries a second that a graph answers on one core. */
export function hnswQueriesPerSecond(vectors: number, dimension: number): number {
  const { cores, dimension: measured, points } = MEASURED.index;
  const queries = alongLine(
    points.map((point) => [point.vectors, point.hnswQueries]),
    vectors,
  );
  return (queries / cores) * (measured / dimension);
}

/** Core seconds that codes take to build. */
export function codesBuildCoreSeconds(vectors: number, dimension: number): number {
  const { buildSecondsOfNumber, buildSecondsOfProduct } = MEASURED.codes;
  const lists = defaultLists(vectors);
  const products = lists > 1 ? (vectors + listSample(lists) * LIST_ROUNDS) * lists * dimension : 0;
  return vectors * dimension * buildSecondsOfNumber + products * buildSecondsOfProduct;
}

/** Queries a second that codes answer on one core, ten hits each. */
export function codesQueriesPerSecond(
  kind: CodeKind,
  vectors: number,
  dimension: number,
  probes = defaultProbes(defaultLists(vectors)),
): number {
  const { secondsOfNumber, secondsOfCentre, secondsOfProbe, secondsOfWhole } = MEASURED.codes;
  const lists = defaultLists(vectors);
  const compared = (vectors * probes) / lists;
  const finding = lists > 1 ? lists * dimension * secondsOfCentre + probes * secondsOfProbe : 0;
  const whole = defaultRescore(kind, 10, dimension);
  return 1 / (compared * dimension * secondsOfNumber[kind] + finding + whole * secondsOfWhole);
}

/** Between measured points straight in logarithms, beyond them as between the last two. */
function alongLine(points: readonly (readonly [number, number])[], x: number): number {
  const last = points.length - 2;
  const after = points.findIndex(([at], i) => i > 0 && x <= at);
  const from = after < 0 ? last : Math.max(0, after - 1);
  const [[x0, y0], [x1, y1]] = [points[from], points[from + 1]];
  const slope = Math.log(y1 / y0) / Math.log(x1 / x0);
  return y0 * (x / x0) ** slope;
}
