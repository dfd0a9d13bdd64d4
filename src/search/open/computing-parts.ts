import { type Closing, closingOnFailure } from '../../base/closing.js';
import type { Documents } from '../../index/vectors/document-files.js';
import type { DocumentIndex } from '../../index/vectors/document-index.js';
import { openUnchanged } from '../../index/vectors/open-unchanged.js';
import { openVectorIndexInWorker } from '../../index/vectors/worker-index.js';
import type { Embedder } from '../embedder.js';
import type { OpenEngine } from '../remote/open-engine.js';
import type { Reranker } from '../retrievers/reranker.js';
import type { OpenSearcherOptions } from '../searcher.js';
import { openEmbedderInWorker, openRerankerInWorker } from '../workers/open-in-worker.js';
import type { Target } from './target.js';

/** A server has half a minute for an answer: before it is over, whoever asked is told what is wrong. */
const SERVED_MS = 25_000;
const NONE = Promise.resolve(undefined);

/**
 * The parts of a searcher that compute; each starts to open when it is first asked for. Imported with this is only what
 * starts worker threads, which somebody waits for: everything else is imported where it is needed, so that the threads
 * are under way before it, and with them only they load the native libraries.
 */
export class ComputingParts {
  readonly #target: Target;
  readonly #options: OpenSearcherOptions;
  readonly #closing: Closing;
  #embedder: Promise<Embedder> | undefined;
  #encoded: Promise<DocumentIndex> | undefined;
  #engine: Promise<OpenEngine> | undefined;
  #reranker: Promise<Reranker> | undefined;

  constructor(target: Target, options: OpenSearcherOptions, closing: Closing) {
    this.#target = target;
    this.#options = options;
    this.#closing = closing;
  }

  /** The target's model; undefined where it has none. */
  embedder(): Promise<Embedder | undefined> {
    const { model } = this.#target;
    if (model !== undefined) this.#embedder ??= this.#closing.add(this.#openEmbedder(model));
    return this.#embedder ?? NONE;
  }

  /** The target's index of vectors; undefined where it has none. */
  encodedDocuments(): Promise<DocumentIndex | undefined> {
    const { vectors, remedy } = this.#target;
    if (vectors !== undefined) this.#encoded ??= this.#closing.add(this.openDocuments(vectors, remedy));
    return this.#encoded ?? NONE;
  }

  /** What the target's address names; undefined where it is no address. */
  engine(): Promise<OpenEngine | undefined> {
    const { engine } = this.#target;
    if (engine !== undefined) this.#engine ??= this.#openEngine(engine);
    return this.#engine ?? NONE;
  }

  /** Undefined where none was named. */
  reranker(): Promise<Reranker | undefined> {
    const { reranker } = this.#options;
    if (reranker !== undefined) this.#reranker ??= this.#closing.add(this.#openReranker(reranker));
    return this.#reranker ?? NONE;
  }

  /**
   * The index of a collection that has been encoded.
   *
   * @param remedy what to do where it is damaged, if not to build it again
   */
  async openDocuments(folder: string, remedy: string | undefined): Promise<DocumentIndex> {
    const { threads, inWorkers } = this.#options;
    const open = { threads, session: this.#session(), remedy };
    if (!inWorkers) return (await import('../../index/vectors/open.js')).openDocumentIndex(folder, open);
    const openBoth = async (closing: Closing): Promise<DocumentIndex> => {
      const [vectors, documents] = await Promise.all([
        closing.add(openVectorIndexInWorker(folder, open)),
        documentsOf(folder, remedy),
      ]);
      const { DocumentIndex } = await import('../../index/vectors/document-index.js');
      return new DocumentIndex({ vectors, ...documents });
    };
    return openUnchanged(folder, () => closingOnFailure(openBoth));
  }

  async #openEngine(address: string): Promise<OpenEngine> {
    const { openEngine } = await import('../remote/open-engine.js');
    const { onNote, inWorkers } = this.#options;
    const engine = await openEngine(address, { onNote, patienceMs: inWorkers ? SERVED_MS : undefined });
    await this.#closing.add(Promise.resolve(engine.connection));
    return engine;
  }

  async #openEmbedder(model: string): Promise<Embedder> {
    const session = this.#session();
    const embedder = this.#options.inWorkers
      ? await openEmbedderInWorker(model, session)
      : await (await import('../embedder.js')).LocalEmbedder.open(model, session);
    const { BatchedEmbedder } = await import('../batching/batched-embedder.js');
    return new BatchedEmbedder(embedder);
  }

  async #openReranker(model: string): Promise<Reranker> {
    const session = this.#session();
    const reranker = this.#options.inWorkers
      ? await openRerankerInWorker(model, session)
      : await (await import('../retrievers/open-reranker.js')).openReranker(model, session);
    const { BatchedReranker } = await import('../batching/batched-reranker.js');
    return new BatchedReranker(reranker);
  }

  #session(): OpenSearcherOptions['session'] {
    const { threads, session } = this.#options;
    return { threads, ...session };
  }
}

async function documentsOf(folder: string, remedy: string | undefined): Promise<Documents> {
  const [{ IndexFolder }, { readDocumentFiles }] = await Promise.all([
    import('../../index/vectors/index-folder.js'),
    import('../../index/vectors/document-files.js'),
  ]);
  return readDocumentFiles(await IndexFolder.open(folder, { remedy }));
}
