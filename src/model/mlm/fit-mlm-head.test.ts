import { expect, test } from 'vitest';
import { Random } from '../../engine/index.js';
import { trainTokenizer } from '../../text/train-tokenizer.js';
import { rowsOf } from '../encoder/encoded-texts.js';
import { Encoder } from '../encoder/encoder.js';
import { createEncoderModel } from '../encoder/encoder-model.js';
import { fitMlmHead } from './fit-mlm-head.js';
import { ridge } from './ridge.js';

test('ridge regression finds the map that made the rows', () => {
  const random = Random.from(1, 'ridge');
  const [rows, inputs, outputs] = [60, 4, 3];
  const weight = Array.from({ length: outputs * inputs }, () => random.normal());
  const x = Float32Array.from({ length: rows * inputs }, () => random.normal() + 2);
  const y = new Float32Array(rows * outputs);
  for (let row = 0; row < rows; row++) {
    for (let j = 0; j < outputs; j++) {
      y[row * outputs + j] = j;
      for (let i = 0; i < inputs; i++) y[row * outputs + j] += weight[j * inputs + i] * x[row * inputs + i];
    }
  }
  const fit = ridge(x, y, { inputs, outputs, shrink: 0 });
  fit.weight.forEach((value, i) => {
    expect(value).toBeCloseTo(weight[i], 3);
  });
  fit.bias.forEach((value, j) => {
    expect(value).toBeCloseTo(j, 2);
  });
});

test('a fitted head suggests the words that stand there, and few others', async () => {
  const texts = ['near miss of a plane', 'what causes anemia', 'a plane causes a near miss'];
  const tokenizer = await trainTokenizer(texts, { vocabularySize: 300, quiet: true });
  const sizes = { hiddenSize: 32, layers: 2, heads: 2, maxLength: 32, dropout: 0, seed: 3 };
  const model = createEncoderModel({ tokenizer, ...sizes, head: { pooling: 'vocabulary' } });
  await fitMlmHead(model);
  const encoder = await Encoder.create(model);
  const encoded = await encoder.encode(texts);
  const { ids, offsets } = await encoder.tokenize(texts);
  await encoder.release();
  texts.forEach((_, text) => {
    const rows = rowsOf(encoded, text);
    const weights = new Map(
      Array.from({ length: rows.length / 2 }, (__, i) => [rows[2 * i], rows[2 * i + 1]]),
    );
    const own = Array.from(ids.slice(offsets[text] + 1, offsets[text + 1] - 1));
    expect(own.filter((id) => weights.has(id)).length / own.length).toBeGreaterThan(0.7);
    expect(weights.size).toBeLessThan(tokenizer.vocabularySize);
  });
});
