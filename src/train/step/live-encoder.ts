import { emitOnnx, Graph, type ParameterStore, Session, type SessionOptions } from '../../engine/index.js';
import type { StepRandom } from '../../model/encoder/dropout.js';
import { onlyRows } from '../../model/encoder/encoded-texts.js';
import { type EncoderSpec, embeddingSize } from '../../model/encoder/encoder-graph.js';
import { batchByTokens } from '../../model/encoder/packed-batch.js';
import type { TokenizedText } from '../../model/encoder/tokenized-texts.js';
import type { Side } from '../../model/side.js';
import { parameterFeeds } from './gradient-graph.js';
import { Tower } from './towers.js';

/** Padded tokens encoded at once. */
const TOKEN_BUDGET = 4096;

/** Encodes with weights as they are at the moment, while they learn; an `Encoder` has those of when it was compiled. */
export class LiveEncoder {
  readonly #tower: Tower;
  readonly #session: Session;
  readonly #parameters: ParameterStore;
  readonly #size: number;

  private constructor(tower: Tower, session: Session, parameters: ParameterStore, size: number) {
    this.#tower = tower;
    this.#session = session;
    this.#parameters = parameters;
    this.#size = size;
  }

  /** @param options.prefix how the tower's parameters start */
  static async create(options: {
    spec: EncoderSpec;
    prefix: string;
    side: Side;
    parameters: ParameterStore;
    /** Whether dropout acts, as in a step. */
    dropout?: boolean;
    session?: SessionOptions;
  }): Promise<LiveEncoder> {
    const { spec, prefix, side, parameters, dropout, session } = options;
    const graph = new Graph();
    const tower = new Tower(graph, { spec, prefix, side, groups: 1, dropout });
    const compiled = await Session.create(
      emitOnnx(graph, { outputs: { embeddings: tower.embeddings } }),
      session,
    );
    return new LiveEncoder(tower, compiled, parameters, embeddingSize(spec));
  }

  /** The vectors of texts, one after another; `random` decides what dropout drops, where it acts. */
  async encode(
    texts: readonly TokenizedText[],
    { seed, step, part = 0 }: StepRandom = { seed: 0, step: 0 },
  ): Promise<Float32Array> {
    onlyRows({ vectors: new Float32Array(), offsets: this.#tower.offsets(texts) });
    const vectors = new Float32Array(texts.length * this.#size);
    const lengths = texts.map(({ ids }) => ids.length);
    const chunks = batchByTokens(lengths, { tokenBudget: TOKEN_BUDGET });
    for (const [nth, members] of chunks.entries()) {
      const chunk = members.map((member) => texts[member]);
      const { embeddings } = await this.#session.run({
        ...parameterFeeds(this.#session, this.#parameters),
        ...this.#tower.feeds(chunk, { seed, step, part: part * 0x10000 + nth }),
      });
      const rows = embeddings.data as Float32Array;
      members.forEach((member, row) => {
        vectors.set(rows.subarray(row * this.#size, (row + 1) * this.#size), member * this.#size);
      });
    }
    return vectors;
  }

  async release(): Promise<void> {
    await this.#session.release();
  }
}
