import { inverseSelection } from '../../base/numbers/inverse-selection.js';
import { type DenseTensor, type Graph, selectRows, type Value } from '../../engine/index.js';
import { MASKED } from '../encoder/packed-batch.js';
import type { RowOffsets, Rows } from './scorer.js';

/** Rows of texts of which each has as many as the one with most, inside a graph. */
export interface PaddedRows {
  /** [texts * most, size]; zeros where a text has fewer rows. */
  value: Value;
  /** [texts, most]: 0 for rows, a very low number where there is none. */
  missing: Value;
  /** The dimension that counts the rows of each text. */
  most: string;
}

/** Pads rows so that they can be compared text by text; the inputs are fed by {@link paddingFeeds}. */
export function padRows(graph: Graph, { value, texts }: Rows): PaddedRows {
  const most = `most rows of ${texts}`;
  const missing = graph.input(`missing rows of ${texts}`, [texts, most]);
  const places = graph.input(`places of ${texts}`, [`${texts}*${most}`], 'int32');
  const inverse = graph.input(`places of rows of ${texts}`, [value.shape[0]], 'int32');
  return { value: selectRows(value, places, inverse), missing, most };
}

export function paddingFeeds(texts: string, offsets: RowOffsets): Record<string, DenseTensor> {
  const count = offsets.length - 1;
  const rows = offsets[count];
  let most = 1;
  for (let text = 0; text < count; text++) most = Math.max(most, offsets[text + 1] - offsets[text]);
  const places = new Int32Array(count * most).fill(rows);
  const missing = new Float32Array(count * most).fill(MASKED);
  for (let text = 0; text < count; text++) {
    for (let row = offsets[text]; row < offsets[text + 1]; row++) {
      const place = text * most + row - offsets[text];
      places[place] = row;
      missing[place] = 0;
    }
  }
  return {
    [`missing rows of ${texts}`]: { shape: [count, most], data: missing },
    [`places of ${texts}`]: { shape: [count * most], data: places },
    [`places of rows of ${texts}`]: { shape: [rows], data: inverseSelection(places, rows) },
  };
}
