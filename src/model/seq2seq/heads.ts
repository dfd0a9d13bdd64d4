import { type Dim, productOf, reshape, transpose, type Value } from '../../engine/index.js';

export interface HeadPlaces {
  texts: Dim;
  /** Rows of a text. */
  length: Dim;
  heads: number;
  width: number;
}

/** [texts × length, heads × width] → [texts, heads, length, width] */
export function splitHeads(x: Value, { texts, length, heads, width }: HeadPlaces): Value {
  return transpose(reshape(x, [texts, length, heads, width]), [0, 2, 1, 3]);
}

/** [texts, heads, length, width] → [texts × length, heads × width] */
export function joinHeads(context: Value, { texts, length, heads, width }: HeadPlaces): Value {
  return reshape(transpose(context, [0, 2, 1, 3]), [productOf([texts, length]), heads * width]);
}
