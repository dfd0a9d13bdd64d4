import type { ExampleText } from '../../examples/index.js';
import { type EncodedTexts, rowsOf, stackRows } from '../../model/index.js';
import { SIDES, type Side } from '../../model/side.js';
import { ExactCorpus } from '../../run/exact-corpus.js';
import { indexDocuments } from '../refresh/index-documents.js';
import type { LiveEncoder } from '../step/live-encoder.js';
import { tokensOf } from '../task/example-texts.js';
import type { StageContext } from '../task/task.js';

/**
 * What the present weights make of any text while a stage lasts, for negatives that depend on them and for steps. A side
 * that does not learn is not encoded by steps: they are given its rows. Frozen documents are encoded once and stored.
 */
export class StageRows {
  /** The sides that do not learn. */
  readonly frozen: readonly Side[];
  readonly #context: StageContext;
  readonly #stored: ExactCorpus | undefined;
  readonly #live = new Map<Side, LiveEncoder>();

  private constructor(context: StageContext, stored: ExactCorpus | undefined) {
    this.#context = context;
    this.#stored = stored;
    this.frozen = SIDES.filter((side) => context.stage.freeze.includes(side));
  }

  static async open(context: StageContext): Promise<StageRows> {
    const stored = context.stage.freeze.includes('documents') ? await storeDocuments(context) : undefined;
    return new StageRows(context, stored);
  }

  /** The rows of texts of a side, of the collection or not. */
  async of(side: Side, texts: readonly ExampleText[]): Promise<EncodedTexts> {
    const stored = side === 'documents' ? this.#stored : undefined;
    if (!stored) return this.#encode(side, texts);
    const numbers = texts.filter((text) => typeof text === 'number');
    const known = await stored.vectorsOf(numbers);
    if (numbers.length === texts.length) return known;
    const others = await this.#encode(
      side,
      texts.filter((text) => typeof text !== 'number'),
    );
    let [nthKnown, nthOther] = [0, 0];
    const rows = texts.map((text) =>
      typeof text === 'number' ? rowsOf(known, nthKnown++) : rowsOf(others, nthOther++),
    );
    return stackRows(rows, others.vectors.length / others.offsets[nthOther]);
  }

  /** The best documents for queries of one row each, where documents do not learn. */
  search({ vectors }: EncodedTexts, k: number): ReturnType<ExactCorpus['search']> {
    if (!this.#stored) throw new Error('documents that learn cannot be searched at each step');
    return this.#stored.search(vectors, k);
  }

  async close(): Promise<void> {
    for (const encoder of this.#live.values()) await encoder.release();
    await this.#stored?.close();
  }

  async #encode(side: Side, wanted: readonly ExampleText[]): Promise<EncodedTexts> {
    const { data, model, session } = this.#context;
    const encoder = this.#live.get(side) ?? (await model.liveEncoder(side, session));
    this.#live.set(side, encoder);
    const { texts, offsets } = await tokensOf(data[side], wanted);
    return { vectors: await encoder.encode(texts), offsets: Uint32Array.from(offsets) };
  }
}

/** The newest checkpoint's documents: those of every checkpoint of the stage. */
async function storeDocuments({ run, recipe, data, session, events }: StageContext): Promise<ExactCorpus> {
  const step = (await run.steps('checkpoints')).at(-1) ?? 0;
  const total = data.documents.count;
  const onProgress = (done: number): void =>
    void events.write({ type: 'encode', step, done, total }).catch(() => undefined);
  // The Inferencer wants the same index: no need to encode twice. What is not exact or not whole serves it alone.
  const { type, dimensions } = recipe.refresh.index;
  if (type === 'flat' && dimensions === undefined) {
    await indexDocuments(step, { run, recipe, data, session, onProgress });
  }
  return ExactCorpus.open({ run, step, data, session, onProgress });
}
