import { fullText } from '../../data/dataset.js';
import { encodeCollection } from '../../model/encoder/collection/encode-collection.js';
import { rowsOf } from '../../model/encoder/encoded-texts.js';
import type { Searcher } from '../searcher.js';
import type { LiveEntry } from './log/log-record.js';

/** Documents handed to the model at once. */
const DOCUMENTS_AT_ONCE = 256;

/** The same entries with the vectors that this searcher's model makes; without any where it has no model. */
export async function encodeDocuments(
  searcher: Searcher,
  entries: readonly LiveEntry[],
): Promise<LiveEntry[]> {
  const encoded = entries.map((entry): LiveEntry => ({ ...entry, vectors: undefined }));
  if (searcher.model === undefined) return encoded;
  const shards = encodeCollection(
    encoded.filter(({ document }) => document !== undefined),
    {
      encode: (part) => searcher.encodeDocuments(part.map(({ document }) => fullText(document!))),
      shardSize: DOCUMENTS_AT_ONCE,
    },
  );
  for await (const shard of shards) {
    shard.members.forEach((entry, i) => {
      // A copy: documents come and go, and none should keep the rows of its company.
      entry.vectors = rowsOf(shard, i).slice();
    });
  }
  return encoded;
}
