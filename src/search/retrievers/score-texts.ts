import { rowsOf } from '../../model/encoder/encoded-texts.js';
import { scorers } from '../../model/scorer/kinds.js';
import type { Embedder, EmbedOptions } from '../embedder.js';

/** The score of each text for a query, by all rows of both, as the model's scorer compares them. */
export async function scoreTexts(
  embedder: Embedder,
  query: string,
  texts: readonly string[],
  options?: Pick<EmbedOptions, 'signal'>,
): Promise<Float32Array> {
  const { dimension, scorer = 'max' } = embedder.info;
  const { score } = scorers.get(scorer).create({});
  const { vectors } = await embedder.encode([query], 'query', options);
  const documents = await embedder.encode(texts, 'document', options);
  return Float32Array.from(texts, (_, i) => score(vectors, rowsOf(documents, i), dimension));
}
