import { fillNormal, randomKey } from '../engine/index.js';
import { type CrossEncoderModel, createCrossEncoder, createEncoderModel } from '../model/index.js';
import { Tokenizer } from '../text/index.js';
import { tokensAt } from '../text/token-batch.js';
import { tokenizerJsons } from '../text/tokenizer.fixture.js';
import type { RetrievalBatch } from './task/batch.js';

/** A cross-encoder small enough to differentiate by hand, and a batch for it. */
export async function crossEncoder(): Promise<{ model: CrossEncoderModel; batch: RetrievalBatch }> {
  const tokenizer = await Tokenizer.fromJson((await tokenizerJsons()).wordPiece);
  const options = { tokenizer, hiddenSize: 8, layers: 2, heads: 2, maxLength: 20, dropout: 0 };
  const model = createCrossEncoder(createEncoderModel(options));
  for (const name of model.parameters.names) {
    if (/LayerNorm\.weight/.test(name)) model.parameters.get(name).fill(1);
    else fillNormal(model.parameters.get(name), 0.3, randomKey(1, name));
  }
  const texts = async (...all: string[]): Promise<RetrievalBatch['documents']> => {
    const encoded = await tokenizer.encodeBatch(all);
    return all.map((_, i) => ({ ids: tokensAt(encoded, i) }));
  };
  const batch: RetrievalBatch = {
    examples: 3,
    queries: await texts('near', 'a miss', 'b'),
    documents: await texts('near miss', 'a b', 'miss', 'near a miss, a b', 'b near'),
    positives: [0, 1, 4],
    // Queries with two, one and no negatives; one document serves two queries.
    negatives: [[2, 3], [2], []],
  };
  return { model, batch };
}
