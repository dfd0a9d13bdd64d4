import { documentTexts, openDataset } from '../../data/index.js';

const CHARACTERS_PER_TOKEN = 4.5;

export interface CollectionSize {
  documents: number;
  /** Of a document, by how many tokens are read at most. */
  meanTokens: (most: number) => number;
}

/** Lengths are counted by powers of two: enough to tell what cutting them saves. */
export async function collectionSize(data: string): Promise<CollectionSize> {
  const counts = new Map<number, { documents: number; tokens: number }>();
  let documents = 0;
  for await (const { text } of documentTexts(await openDataset(data)).records()) {
    const tokens = text.length / CHARACTERS_PER_TOKEN;
    const power = Math.ceil(Math.log2(Math.max(1, tokens)));
    const ofPower = counts.get(power) ?? { documents: 0, tokens: 0 };
    ofPower.documents++;
    ofPower.tokens += tokens;
    counts.set(power, ofPower);
    documents++;
  }
  return {
    documents,
    meanTokens(most) {
      let read = 0;
      for (const { documents, tokens } of counts.values()) read += Math.min(tokens, documents * most);
      return read / Math.max(1, documents);
    },
  };
}
