import { trainTokenizer } from '../../text/train-tokenizer.js';
import { Encoder } from './encoder.js';
import { createEncoderModel } from './encoder-model.js';

const WORDS = 'a near miss is what almost was found'.split(' ');

/** Texts of one to seven words. */
export function smallTexts(count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    Array.from({ length: 1 + ((i * 5) % 7) }, (_, j) => WORDS[(i + j) % WORDS.length]).join(' '),
  );
}

/** An encoder of eight dimensions that knows the words of {@link smallTexts}. */
export async function smallEncoder(): Promise<Encoder> {
  async function* corpus(): AsyncGenerator<string> {
    yield WORDS.join(' ');
  }
  const tokenizer = await trainTokenizer(corpus(), { vocabularySize: 80 });
  const model = createEncoderModel({ tokenizer, hiddenSize: 8, layers: 1, heads: 2, maxLength: 16 });
  return Encoder.create(model, { session: { threads: 1 } });
}
