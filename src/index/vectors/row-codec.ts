import { NearmissError } from '../../base/errors.js';
import { decodeFloat16, encodeFloat16 } from '../../base/numbers/float16.js';

/** How exact vectors are stored; both are searched without unpacking by hand. */
export type RowStorage = 'f32' | 'f16';

/** Stored rows: numbers, or half-precision bit patterns. */
export type Rows = Float32Array | Uint16Array;

/** Half-way between 65504, the largest half-precision number, and the step that is not there. */
const ROUNDS_TO_INFINITY = 65520;

export function bytesPerComponent(storage: RowStorage): number {
  return storage === 'f16' ? 2 : 4;
}

/** Room for that many components, zero. */
export function allocateRows(storage: RowStorage, components: number): Rows {
  return storage === 'f16' ? new Uint16Array(components) : new Float32Array(components);
}

/** Stores numbers; what does not fit half precision is an error that names the row. */
export function encodeRows(source: Float32Array, target: Rows, place: RowPlace): void {
  if (target instanceof Float32Array) target.set(source);
  else {
    expectHalfRange(source, place);
    encodeFloat16(source, target);
  }
}

/** Numbers again, as they were stored. */
export function decodeRows(rows: Rows, target: Float32Array): void {
  if (rows instanceof Float32Array) target.set(rows);
  else decodeFloat16(rows, target);
}

/** Where a block's rows are, for error messages. */
export interface RowPlace {
  dimension: number;
  firstRow: number;
  source: string;
}

/** Throws when a number would become infinite in half precision. */
export function expectHalfRange(
  source: Float32Array,
  { dimension, firstRow, source: where }: RowPlace,
): void {
  for (let i = 0; i < source.length; i++) {
    if (Math.abs(source[i]) < ROUNDS_TO_INFINITY) continue;
    const row = firstRow + Math.floor(i / dimension);
    throw new NearmissError(
      `${where}: row ${row}, component ${i % dimension}: ${source[i]} is too large for f16 (at most 65504)`,
      { hint: 'store the vectors as f32' },
    );
  }
}
