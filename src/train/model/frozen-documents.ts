import type { EncodedTexts } from '../../model/index.js';
import { ExactCorpus } from '../../run/exact-corpus.js';
import { indexDocuments } from '../refresh/index-documents.js';
import type { StageContext } from '../task/task.js';

/** The collection as a stage keeps it: encoded once, because the tower of documents does not learn. */
export class FrozenDocuments {
  readonly #corpus: ExactCorpus;

  private constructor(corpus: ExactCorpus) {
    this.#corpus = corpus;
  }

  /** The newest checkpoint's documents: those of every checkpoint of the stage. */
  static async open({ run, recipe, data, session, events }: StageContext): Promise<FrozenDocuments> {
    const step = (await run.steps('checkpoints')).at(-1) ?? 0;
    const total = data.documents.count;
    const onProgress = (done: number): void =>
      void events.write({ type: 'encode', step, done, total }).catch(() => undefined);
    // The Inferencer wants the same index: no need to encode twice. A graph is not exact, and serves it alone.
    if (recipe.refresh.index.type === 'flat') {
      await indexDocuments(step, { run, recipe, data, session, onProgress });
    }
    return new FrozenDocuments(await ExactCorpus.open({ run, step, data, session, onProgress }));
  }

  /** The best documents for query vectors that come one after another. */
  search(vectors: Float32Array, k: number): ReturnType<ExactCorpus['search']> {
    return this.#corpus.search(vectors, k);
  }

  /** The rows of some documents. */
  rows(documents: readonly number[]): Promise<EncodedTexts> {
    return this.#corpus.vectorsOf(documents);
  }

  close(): Promise<void> {
    return this.#corpus.close();
  }
}
