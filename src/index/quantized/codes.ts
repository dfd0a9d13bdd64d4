import { type CodeKind, codeBytes, type PreparedQuery, QUERY_PLANES, recordBytes } from './scan-kernel.js';

/** The largest 8-bit component; −128 is left out so that negation stays exact. */
const INT8_LIMIT = 127;
/** Of a query's components, so that no inner product leaves 32 bits. */
const INT16_LIMIT = 32_767;
const LEVELS = 2 ** QUERY_PLANES - 1;

/**
 * Writes a vector's record: the vector is taken as the centre of its list and a rest, of which the record keeps a code and a
 * factor. A query's inner product with a vector is about its product with the centre and `factor` times that with the code.
 *
 * @param start where in `target` the record begins
 */
export function encodeRecord(
  kind: CodeKind,
  vector: Float32Array,
  centre: Float32Array,
  target: DataView<ArrayBuffer>,
  start: number,
): void {
  const size = codeBytes(kind, vector.length);
  const code = new Uint8Array(target.buffer, target.byteOffset + start, size);
  code.fill(0);
  const factor = kind === 'binary' ? encodeSigns(vector, centre, code) : encodeIntegers(vector, centre, code);
  target.setFloat32(start + size, factor, true);
}

/** Records of vectors that share a centre. */
export function encodeRecords(kind: CodeKind, vectors: Float32Array, centre: Float32Array): Uint8Array {
  const dimension = centre.length;
  const stride = recordBytes(kind, dimension);
  const rows = vectors.length / dimension;
  const records = new Uint8Array(rows * stride);
  const view = new DataView(records.buffer);
  for (let row = 0; row < rows; row++) {
    encodeRecord(kind, vectors.subarray(row * dimension, (row + 1) * dimension), centre, view, row * stride);
  }
  return records;
}

/**
 * Signs s of the rest r. The factor is |r|² / Σ|rᵢ|, with which factor · s · r = |r|²: a query in the direction of the rest
 * is estimated as it is, others without bias (RaBitQ, Gao and Long 2024).
 */
function encodeSigns(vector: Float32Array, centre: Float32Array, target: Uint8Array): number {
  let squares = 0;
  let magnitudes = 0;
  for (let i = 0; i < vector.length; i++) {
    const rest = vector[i] - centre[i];
    squares += rest * rest;
    magnitudes += Math.abs(rest);
    if (rest >= 0) target[i >> 3] |= 1 << (i & 7);
  }
  return magnitudes > 0 ? squares / magnitudes : 0;
}

/** Whole numbers; the factor makes the largest of them 127. */
function encodeIntegers(vector: Float32Array, centre: Float32Array, target: Uint8Array): number {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i] - centre[i]));
  if (largest === 0) return 0;
  const scale = INT8_LIMIT / largest;
  // Negative numbers wrap around as two's complement.
  for (let i = 0; i < vector.length; i++) target[i] = Math.round((vector[i] - centre[i]) * scale);
  return 1 / scale;
}

/** A query as the kernel wants it. */
export function prepareQuery(kind: CodeKind, query: Float32Array): PreparedQuery {
  let largest = 0;
  for (const value of query) largest = Math.max(largest, Math.abs(value));
  return kind === 'binary' ? queryPlanes(query, largest) : queryIntegers(query, largest);
}

/**
 * Each component becomes one of the levels −15, −13 … 15, which is ±1 ± 2 ± 4 ± 8: four planes of signs. The product with
 * d signs is then Σⱼ 2ʲ (d − 2 · differing signs) = 15 d − 2 · (what the kernel sums up).
 */
function queryPlanes(query: Float32Array, largest: number): PreparedQuery {
  const size = codeBytes('binary', query.length);
  const bytes = new Uint8Array(QUERY_PLANES * size);
  const step = largest > 0 ? largest / LEVELS : 1;
  for (let i = 0; i < query.length; i++) {
    const level = Math.min(LEVELS, Math.max(0, Math.round((query[i] / step + LEVELS) / 2)));
    for (let plane = 0; plane < QUERY_PLANES; plane++) {
      if ((level >> plane) & 1) bytes[plane * size + (i >> 3)] |= 1 << (i & 7);
    }
  }
  return { bytes, constant: step * LEVELS * query.length, slope: -2 * step };
}

function queryIntegers(query: Float32Array, largest: number): PreparedQuery {
  const limit = Math.min(INT16_LIMIT, Math.floor((2 ** 31 - 1) / (INT8_LIMIT * query.length)));
  const scale = largest > 0 ? limit / largest : 1;
  const numbers = new Int16Array(codeBytes('int8', query.length));
  for (let i = 0; i < query.length; i++) numbers[i] = Math.round(query[i] * scale);
  return { bytes: new Uint8Array(numbers.buffer), constant: 0, slope: 1 / scale };
}
