import { join } from 'node:path';
import { removeDirectory } from '../../base/files.js';
import type { SessionOptions } from '../../engine/index.js';
import type { Ranking } from '../../evaluate/index.js';
import { openDocumentIndex } from '../../index/vectors/index.js';
import { removeAndRepeat } from '../../index/vectors/index-folder.js';
import { writeDocumentIndex } from '../../index/write-documents.js';
import { Encoder, type EncoderModel, encodeNumbered, type NumberedTexts } from '../../model/index.js';
import { indexScorer } from '../../model/representation/kinds.js';
import type { Side } from '../../model/side.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { TrainingData } from '../../run/training-data.js';

export interface ModelRankingsOptions {
  run: RunDirectory;
  data: TrainingData;
  session: SessionOptions;
  /** Numbers of queries. */
  queries: ArrayLike<number>;
  /** How many documents of each. */
  k: number;
  /** Numbers of the documents to search, ascending; all of them where left out. */
  documents?: Int32Array;
  /** For what is made on the way, which is found again after a kill and removed at the end. */
  directory: string;
  onProgress?: (done: number, total: number) => void | Promise<void>;
  signal?: AbortSignal;
}

/** What encoders find among some documents, exactly: how models are compared that are not checkpoints. */
export async function denseRankings(
  model: (side: Side) => EncoderModel,
  options: ModelRankingsOptions,
): Promise<Map<string, Ranking>> {
  const { data, session, queries, directory, onProgress, signal } = options;
  const texts = options.documents ? among(data.documents, options.documents) : data.documents;
  const encoder = await Encoder.create(model('documents'), { session });
  const { shards, offsets } = await encodeNumbered(encoder, texts, {
    directory: join(directory, 'shards'),
    onProgress: (done) => onProgress?.(done, texts.count),
    signal,
  }).finally(() => encoder.release());
  const folder = join(directory, 'index');
  await removeDirectory(folder);
  await writeDocumentIndex(
    folder,
    { offsets, blocks: shards },
    { dimension: encoder.dimension, scorer: indexScorer(encoder.model.spec.head), bits: 'exact', session },
  );
  const queryEncoder = await Encoder.create(model('queries'), { session });
  const index = await openDocumentIndex(folder, {
    threads: session.threads,
    remedy: removeAndRepeat(folder),
  });
  const rankings = new Map<string, Ranking>();
  try {
    const { vectors, offsets: queryOffsets } = await queryEncoder.encodeTokens(
      await data.queries.texts(queries),
    );
    const { ids, scores, k } = await index.search(vectors, {
      k: Math.min(options.k, index.count),
      queryOffsets,
    });
    Array.from(queries).forEach((query, i) => {
      const found = ids.subarray(i * k, (i + 1) * k).filter((id) => id >= 0);
      rankings.set(data.queries.cache.id(query), {
        ids: Array.from(found, (id) => data.documents.cache.id(options.documents?.[id] ?? id)),
        scores: Float64Array.from(scores.subarray(i * k, i * k + found.length)),
      });
    });
  } finally {
    await queryEncoder.release();
    await index.close();
  }
  await removeDirectory(directory);
  return rankings;
}

/** Some texts of a collection as a collection of their own. */
function among(collection: NumberedTexts, members: Int32Array): NumberedTexts {
  return {
    count: members.length,
    texts: (places) => collection.texts(Array.from(places, (place) => members[place])),
  };
}
