import type { DenseTensor, Graph, Value } from '../../engine/index.js';
import type { RowOffsets, Rows } from './scorer.js';

const inputName = (texts: string): string => `owners of rows of ${texts}`;

/** Which rows are whose, [texts, rows] of 0 and 1: a product with it adds up what belongs to a text. */
export function owners(graph: Graph, { value, texts }: Rows): Value {
  return graph.input(inputName(texts), [texts, value.shape[0]]);
}

export function ownerFeeds(texts: string, offsets: RowOffsets): Record<string, DenseTensor> {
  const [count, rows] = [offsets.length - 1, offsets[offsets.length - 1]];
  const data = new Float32Array(count * rows);
  for (let text = 0; text < count; text++) {
    data.fill(1, text * rows + offsets[text], text * rows + offsets[text + 1]);
  }
  return { [inputName(texts)]: { shape: [count, rows], data } };
}
