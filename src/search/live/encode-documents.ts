import { fullText } from '../../data/dataset.js';
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
  const documents = encoded.filter(({ document }) => document !== undefined);
  for (let start = 0; start < documents.length; start += DOCUMENTS_AT_ONCE) {
    const part = documents.slice(start, start + DOCUMENTS_AT_ONCE);
    const vectors = await searcher.encodeDocuments(part.map(({ document }) => fullText(document!)));
    part.forEach((entry, i) => {
      entry.vectors = vectors[i];
    });
  }
  return encoded;
}
