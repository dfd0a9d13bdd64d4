import { expect, test } from 'vitest';
import { Encoder, type HeadOptions, loadEncoderModel } from '../index.js';
import { MEAN_WEIGHT } from './average-in-last-layer.js';

const TEXTS = ['near miss', 'a longer text about something else, with more words in it'];
const PLAIN = {
  pooling: 'tokens',
  queryMarker: false,
  documentMarker: false,
  fillQueries: 0,
  skip: 'none',
  projection: false,
  normalize: false,
} as const;

/** Mean 0, deviation 1. */
function normalized(row: Float64Array): Float64Array {
  const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
  const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length;
  return row.map((value) => (value - mean) / Math.sqrt(variance));
}

async function rowsOf(layers: number, head: HeadOptions) {
  const model = await loadEncoderModel('minilm', { layers, head });
  const encoder = await Encoder.create(model, { session: { threads: 1 } });
  const encoded = await encoder.encode(TEXTS, { use: 'document' }).finally(() => encoder.release());
  return { ...encoded, dimension: encoder.dimension };
}

test('a model that was trained to be averaged begins with means beside each of the first states', async () => {
  const before = await rowsOf(1, PLAIN);
  const { vectors, dimension } = await rowsOf(2, { pooling: 'first-tokens', rows: 2, normalize: false });
  for (const text of TEXTS.keys()) {
    const [first, end] = [before.offsets[text], before.offsets[text + 1]];
    const state = (token: number): Float32Array =>
      before.vectors.subarray((first + token) * dimension, (first + token + 1) * dimension);
    const mean = new Float64Array(dimension);
    for (let token = 0; token < end - first; token++) {
      state(token).forEach((value, i) => {
        mean[i] += value / (end - first);
      });
    }
    for (const row of [0, 1]) {
      const expected = normalized(mean.map((value, i) => MEAN_WEIGHT * value + state(row)[i]));
      const place = (2 * text + row) * dimension;
      for (let i = 0; i < dimension; i++) expect(vectors[place + i]).toBeCloseTo(expected[i], 3);
    }
  }
});
