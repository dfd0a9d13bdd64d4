import type { ExampleText } from '../../examples/index.js';
import type { TokenizedText } from '../../model/index.js';
import type { TokenizedCollection } from '../../run/training-data.js';

/** Tokens of texts of a collection, read together, and of others as they are; a text may have several pieces. */
export async function tokensOf(
  collection: TokenizedCollection,
  wanted: readonly ExampleText[],
): Promise<{ texts: TokenizedText[]; offsets: number[] }> {
  const numbers = wanted.filter((text) => typeof text === 'number');
  const read = await collection.texts(numbers);
  if (numbers.length === wanted.length) return read;
  const texts: TokenizedText[] = [];
  const offsets = [0];
  let nth = 0;
  for (const text of wanted) {
    if (typeof text === 'number') {
      texts.push(...read.texts.slice(read.offsets[nth], read.offsets[nth + 1]));
      nth++;
    } else texts.push(text);
    offsets.push(texts.length);
  }
  return { texts, offsets };
}
