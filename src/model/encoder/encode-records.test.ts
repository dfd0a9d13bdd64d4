import { expect, test } from 'vitest';
import { trainTokenizer } from '../../text/train-tokenizer.js';
import { encodeRecords, type IdentifiedText } from './encode-records.js';
import { Encoder } from './encoder.js';
import { createEncoderModel } from './encoder-model.js';

const WORDS = 'a near miss is what almost was found'.split(' ');
const RECORDS = Array.from({ length: 11 }, (_, i) => ({
  id: `d${i}`,
  text: Array.from({ length: 1 + ((i * 5) % 7) }, (_, j) => WORDS[(i + j) % WORDS.length]).join(' '),
}));

async function* corpus(): AsyncGenerator<string> {
  yield WORDS.join(' ');
}

async function smallEncoder(): Promise<Encoder> {
  const tokenizer = await trainTokenizer(corpus(), { vocabularySize: 80 });
  const model = createEncoderModel({ tokenizer, hiddenSize: 8, layers: 1, heads: 2, maxLength: 16 });
  return Encoder.create(model, { session: { threads: 1 } });
}

test('chunks come in order with the vectors that encoding at once gives, and nothing is read ahead', async () => {
  const encoder = await smallEncoder();
  let read = 0;
  async function* records(): AsyncGenerator<IdentifiedText> {
    for (const record of RECORDS) {
      read++;
      yield record;
    }
  }
  const expected = await encoder.encode(RECORDS.map(({ text }) => text));
  const [ids, readAt, vectors]: [string[], number[], number[]] = [[], [], []];
  let [tokens, reported, texts] = [0, 0, 0];
  const onBatch = (done: { texts: number; tokens: number }): void => {
    texts += done.texts;
    reported += done.tokens;
  };
  for await (const chunk of encodeRecords(encoder, records(), { chunkTexts: 4, onBatch })) {
    ids.push(...chunk.ids);
    vectors.push(...chunk.vectors);
    tokens += chunk.tokens;
    readAt.push(read);
  }
  await encoder.release();
  expect(ids).toEqual(RECORDS.map(({ id }) => id));
  expect(readAt).toEqual([4, 8, 11]);
  expect(texts).toBe(11);
  expect(reported).toBe(tokens);
  expect(vectors).toHaveLength(expected.length);
  vectors.forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i], 5);
  });
});

test('no records give no chunks', async () => {
  const encoder = await smallEncoder();
  async function* none(): AsyncGenerator<IdentifiedText> {}
  const first = await encodeRecords(encoder, none()).next();
  await encoder.release();
  expect(first.done).toBe(true);
});
