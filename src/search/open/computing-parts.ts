import { readDocumentFiles } from '../../index/vectors/document-files.js';
import { DocumentIndex } from '../../index/vectors/document-index.js';
import { IndexFolder } from '../../index/vectors/index-folder.js';
import { openVectorIndexInWorker } from '../../index/vectors/worker-index.js';
import { BatchedEmbedder } from '../batched-embedder.js';
import type { Embedder } from '../embedder.js';
import type { Reranker } from '../retrievers/reranker.js';
import type { OpenSearcherOptions } from '../searcher.js';
import { openCrossEncoderInWorker, openEmbedderInWorker } from '../workers/worker-models.js';
import { Closing } from './closing.js';

/*
 * The parts of a searcher that compute. Imported with this are only those that start worker threads: what computes in
 * this thread is imported where it is needed, so that with workers only they load the native libraries.
 */

/**
 * The index of a collection that has been encoded.
 *
 * @param remedy what to do where it is damaged, if not to build it again
 */
export async function openEncodedDocuments(
  folder: string,
  options: OpenSearcherOptions,
  remedy: string | undefined,
): Promise<DocumentIndex> {
  const { threads, inWorkers } = options;
  const open = { threads, session: sessionOf(options), remedy };
  if (!inWorkers) return (await import('../../index/vectors/open.js')).openDocumentIndex(folder, open);
  const closing = new Closing();
  try {
    const [vectors, documents] = await closing.all([
      closing.add(openVectorIndexInWorker(folder, open)),
      IndexFolder.open(folder, { remedy }).then(readDocumentFiles),
    ]);
    return new DocumentIndex({ vectors, ...documents });
  } catch (error) {
    await closing.close();
    throw error;
  }
}

export async function openEmbedder(model: string, options: OpenSearcherOptions): Promise<Embedder> {
  const session = sessionOf(options);
  const embedder = options.inWorkers
    ? await openEmbedderInWorker(model, session)
    : await (await import('../embedder.js')).LocalEmbedder.open(model, session);
  return new BatchedEmbedder(embedder);
}

export async function openReranker(model: string, options: OpenSearcherOptions): Promise<Reranker> {
  const session = sessionOf(options);
  if (options.inWorkers) return openCrossEncoderInWorker(model, session);
  return (await import('../retrievers/cross-encoder-reranker.js')).openCrossEncoder(model, session);
}

/** Workers share the cores: threads of one that spin while they wait take them from the others. */
function sessionOf({ threads, session, inWorkers }: OpenSearcherOptions): OpenSearcherOptions['session'] {
  return { threads, ...(inWorkers && { spinning: false }), ...session };
}
