import { expect, test } from 'vitest';
import { trainTokenizer } from '../../text/train-tokenizer.js';
import { rowsOf } from '../encoder/encoded-texts.js';
import { Encoder } from '../encoder/encoder.js';
import { createEncoderModel, type EncoderModel } from '../encoder/encoder-model.js';
import { fitMlmHead } from '../mlm/fit-mlm-head.js';
import { MLM_HEAD } from '../mlm/mlm-head.js';
import { documentImpacts } from '../scorer/impact.js';
import { fitTokenWeights } from './fit-token-weights.js';
import { TokenRarity } from './token-rarity.js';

const NAMES = [
  'anemia',
  'plane',
  'garden',
  'violin',
  'copper',
  'harbor',
  'lemon',
  'window',
  'tiger',
  'bottle',
];
const TEXTS = NAMES.map((name) => `what is the name of the ${name}`);

async function* records(): AsyncGenerator<{ text: string }> {
  for (const text of TEXTS) yield { text };
}

async function newModel(pooling: string): Promise<{ model: EncoderModel; rarity: TokenRarity }> {
  const tokenizer = await trainTokenizer([...TEXTS, ...NAMES, ...NAMES], {
    vocabularySize: 300,
    quiet: true,
  });
  const sizes = { hiddenSize: 64, layers: 1, heads: 2, maxLength: 32, dropout: 0, seed: 3 };
  const model = createEncoderModel({ tokenizer, ...sizes, head: { pooling } });
  return { model, rarity: await TokenRarity.of(records(), model) };
}

/** What the tokens of the first text weigh. */
async function weightsOf(model: EncoderModel): Promise<(token: string) => number> {
  const encoder = await Encoder.create(model);
  const encoded = await encoder.encode(TEXTS.slice(0, 1));
  await encoder.release();
  const impacts = documentImpacts(rowsOf(encoded, 0));
  return (token) => impacts.get(model.tokenizer.id(token)!) ?? 0;
}

test('idf is counted over documents, and is highest where none has a token', async () => {
  const { model, rarity } = await newModel('token-weights');
  const idf = (token: string): number => rarity.idf(model.tokenizer.id(token)!);
  expect(idf('the')).toBeCloseTo(Math.log(1 + 0.5 / 10.5), 6);
  expect(idf('anemia')).toBeCloseTo(Math.log(1 + 9.5 / 1.5), 6);
  expect(idf('[MASK]')).toBeCloseTo(Math.log(1 + 10.5 / 0.5), 6);
});

test('uniCOIL starts with weights near √idf, so words that all texts have count for little', async () => {
  const { model, rarity } = await newModel('token-weights');
  await fitTokenWeights(model, rarity);
  const weight = await weightsOf(model);
  expect(weight('anemia')).toBeCloseTo(Math.sqrt(rarity.idf(model.tokenizer.id('anemia')!)), 0);
  expect(weight('the')).toBeLessThan(weight('anemia') / 2);
});

test('SPLADE starts with words the lower the more texts have them', async () => {
  const { model, rarity } = await newModel('vocabulary');
  const bias = (token: string): number =>
    model.parameters.get(`${MLM_HEAD}.bias`)[model.tokenizer.id(token)!];
  await fitMlmHead(model);
  expect(bias('the')).toBe(bias('anemia'));
  await fitMlmHead(model, { rarity });
  expect(bias('the')).toBeLessThan(bias('anemia'));
});
