import { expect, test } from 'vitest';
import { trainTokenizer } from '../../text/train-tokenizer.js';
import { rowsOf } from '../encoder/encoded-texts.js';
import { Encoder } from '../encoder/encoder.js';
import { createEncoderModel } from '../encoder/encoder-model.js';
import { documentImpacts, queryImpacts } from '../scorer/impact.js';

test('a text without words weighs nothing, so that no other without words finds it', async () => {
  const tokenizer = await trainTokenizer(['near miss a near miss', 'what causes anemia'], {
    vocabularySize: 120,
    quiet: true,
  });
  const sizes = { hiddenSize: 16, layers: 1, heads: 2, maxLength: 32, seed: 3 };
  const model = createEncoderModel({ tokenizer, ...sizes, head: { pooling: 'token-weights' } });
  const encoder = await Encoder.create(model, { session: { threads: 1 } });
  const texts = await encoder.encode(['', '漢字', 'near miss']).finally(() => encoder.release());
  const [empty, unknown, words] = [0, 1, 2].map((text) => rowsOf(texts, text));
  expect([documentImpacts(empty).size, queryImpacts(unknown).size]).toEqual([0, 0]);
  expect(documentImpacts(words).size).toBe(2);
});
