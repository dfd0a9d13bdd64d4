import type { IdTable } from '../../data/id-table.js';
import {
  documentFrequencies,
  type FrequencyOptions,
  type TermReader,
} from '../../model/terms/document-weights.js';
import { type BuildWeightedOptions, buildWeightedIndex, type WeightedDocument } from '../bm25/build.js';
import type { Bm25Meta } from '../bm25/format.js';
import type { TokenSource } from '../tokens/write-token-index.js';
import { rowsByDocument } from './rows-by-document.js';

export interface WriteTermIndexOptions extends Omit<BuildWeightedOptions, 'scale' | 'language' | 'weighed'> {
  reader: TermReader;
  frequencies: FrequencyOptions;
  /** What weighed the terms, for people. */
  model: string;
  signal?: AbortSignal;
}

/**
 * Writes a BM25 index whose term frequencies are what a model makes of words where they stand (DeepCT, HDCT); it is
 * searched like one of counts, with other k1 and b.
 *
 * @param source tokens and weights of each document, in passages
 */
export async function writeTermIndex(
  folder: string,
  source: Pick<TokenSource, 'offsets' | 'blocks'> & { ids: IdTable },
  { reader, frequencies, model, signal, ...options }: WriteTermIndexOptions,
): Promise<Bm25Meta> {
  async function* weighted(): AsyncGenerator<WeightedDocument> {
    let document = 0;
    for await (const rows of rowsByDocument(source)) {
      signal?.throwIfAborted();
      const id = source.ids.idAt(document++);
      yield { id, weights: documentFrequencies(rows, reader, frequencies) };
    }
  }
  return buildWeightedIndex(folder, weighted(), {
    ...options,
    language: reader.analyzer.language,
    weighed: { model, scale: frequencies.scale },
    scale: 1,
  });
}
