import { compile, Graph, type Session, type SessionOptions } from '../../engine/index.js';
import { batchByTokens } from '../encoder/packed-batch.js';
import type { Seq2SeqSpec } from './network.js';
import type { Seq2SeqWeights } from './seq2seq-model.js';
import { buildTraining, packPairs, type Seq2SeqPair } from './training-graph.js';

/** Padded tokens of sources at once; logits of a short target over all words weigh more than its source. */
const TOKEN_BUDGET = 2048;
const MAX_PAIRS = 32;

/** How probable a model finds targets, given sources: what its loss is measured with, and what ranks documents. */
export class Likelihood {
  readonly #spec: Seq2SeqSpec;
  readonly #session: Session;

  private constructor(spec: Seq2SeqSpec, session: Session) {
    this.#spec = spec;
    this.#session = session;
  }

  static async create({ spec, parameters }: Seq2SeqWeights, session?: SessionOptions): Promise<Likelihood> {
    const graph = new Graph();
    const { picked } = buildTraining(graph, spec);
    return new Likelihood(spec, await compile(graph, { outputs: { picked }, parameters, session }));
  }

  /** Mean log probability of each target's tokens. */
  async of(pairs: readonly Seq2SeqPair[]): Promise<Float32Array> {
    const scores = new Float32Array(pairs.length);
    const lengths = pairs.map(({ source }) => source.length);
    for (const members of batchByTokens(lengths, { tokenBudget: TOKEN_BUDGET, maxTexts: MAX_PAIRS })) {
      const chosen = members.map((member) => pairs[member]);
      const { feeds, out } = packPairs(chosen, this.#spec);
      const { picked } = await this.#session.run(feeds);
      chosen.forEach(({ target }, i) => {
        let sum = 0;
        for (let t = 0; t < target.length; t++) sum += Number(picked.data[i * out + t]);
        scores[members[i]] = sum / target.length;
      });
    }
    return scores;
  }

  async release(): Promise<void> {
    await this.#session.release();
  }
}
