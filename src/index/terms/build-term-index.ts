import { ContentHash } from '../../data/content-hash.js';
import { type Document, fullText } from '../../data/dataset.js';
import { rowsOf } from '../../model/encoder/encoded-texts.js';
import { documentFrequencies, type FrequencyOptions } from '../../model/terms/document-weights.js';
import type { TermWeigher } from '../../model/terms/term-weigher.js';
import type { SplitTokensOptions } from '../../text/split-tokens.js';
import { type BuildOptions, buildWeightedIndex, type WeightedDocument } from '../bm25/build.js';
import type { Bm25Meta } from '../bm25/format.js';

/** Documents whose words are weighed together: enough of similar length, few enough to wait for. */
const DOCUMENTS_AT_ONCE = 256;

export interface BuildTermIndexOptions extends Omit<BuildOptions, 'language' | 'vectors'> {
  frequencies: FrequencyOptions;
  /** How documents are read: the beginning, or several passages (HDCT). */
  split: SplitTokensOptions;
}

/**
 * Indexes documents by what a model makes of their words (DeepCT, HDCT), for BM25; tune k1 and b afterwards.
 */
export async function buildTermIndex(
  folder: string,
  documents: AsyncIterable<Document>,
  weigher: TermWeigher,
  { frequencies, split, ...options }: BuildTermIndexOptions,
): Promise<Bm25Meta> {
  const content = new ContentHash();
  const { encoder, reader } = weigher;
  async function* weighted(): AsyncGenerator<WeightedDocument> {
    for await (const some of inGroups(documents, DOCUMENTS_AT_ONCE)) {
      const encoded = await encoder.encode(some.map(fullText), { use: 'document', split });
      for (const [i, document] of some.entries()) {
        content.add(document);
        yield { id: document.id, weights: documentFrequencies(rowsOf(encoded, i), reader, frequencies) };
      }
    }
  }
  return buildWeightedIndex(folder, weighted(), {
    ...options,
    language: reader.analyzer.language,
    weighed: { model: encoder.model.name, scale: frequencies.scale },
    content: () => content.digest(),
    scale: 1,
  });
}

async function* inGroups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
