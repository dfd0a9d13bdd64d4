import { NearmissError } from '../../base/errors.js';
import { ExactCorpus } from '../../run/exact-corpus.js';
import type { StoredRows } from '../task/batch.js';
import type { StageContext } from '../task/task.js';

/** The collection as a stage keeps it: encoded once, because the tower of documents does not learn. */
export class FrozenDocuments {
  readonly #corpus: ExactCorpus;

  private constructor(corpus: ExactCorpus) {
    this.#corpus = corpus;
  }

  /** The newest checkpoint's documents: those of every checkpoint of the stage. */
  static async open({ run, data, session, events, stage }: StageContext): Promise<FrozenDocuments> {
    const step = (await run.steps('checkpoints')).at(-1);
    if (step === undefined) {
      throw new NearmissError(`${run.path}: no checkpoint to take the documents of stage ${stage.name} from`);
    }
    const total = data.documents.count;
    const onProgress = (done: number): void =>
      void events.write({ type: 'encode', step, done, total }).catch(() => undefined);
    return new FrozenDocuments(await ExactCorpus.open({ run, step, data, session, onProgress }));
  }

  /** The best documents for query vectors that come one after another. */
  search(vectors: Float32Array, k: number): ReturnType<ExactCorpus['search']> {
    return this.#corpus.search(vectors, k);
  }

  /** The rows of some documents. */
  async rows(documents: readonly number[]): Promise<StoredRows> {
    const found = await this.#corpus.vectorsOf(documents);
    const rows = documents.flatMap((document) => found.get(document)!);
    const size = rows[0]?.length ?? 0;
    const vectors = new Float32Array(rows.length * size);
    rows.forEach((row, i) => {
      vectors.set(row, i * size);
    });
    const offsets = [0];
    for (const document of documents) offsets.push(offsets.at(-1)! + found.get(document)!.length);
    return { vectors, offsets };
  }

  close(): Promise<void> {
    return this.#corpus.close();
  }
}
