import {
  type DenseTensor,
  emitOnnx,
  Graph,
  joinedParameters,
  type ParameterLookup,
  type ParameterStore,
  Session,
  type SessionOptions,
} from '../../engine/index.js';
import type { EncoderConfig } from '../../model/encoder/config.js';
import { dropoutFeeds, type StepRandom } from '../../model/encoder/dropout.js';
import { encoderFeeds } from '../../model/encoder/encoder-graph.js';
import { batchByTokens, packBatch } from '../../model/encoder/packed-batch.js';
import type { MaskedText } from '../../model/mlm/mask-words.js';
import { buildMasked, HIDDEN_TOKENS, labelFeeds, type MaskedGraph } from '../../model/mlm/masked-graph.js';
import type { Batch } from '../task/batch.js';
import { parameterFeeds } from './gradient-graph.js';
import { LossGraph } from './loss-graph.js';
import type { Step, StepResult, StepRun } from './step.js';

/** What one step of guessing learns from; it has as many examples as tokens to guess. */
export interface MaskedBatch extends Batch {
  texts: readonly MaskedText[];
}

/** A batch in which every hidden token counts the same. */
export function maskedBatch(texts: readonly MaskedText[]): MaskedBatch {
  return { texts, examples: texts.reduce((sum, { places }) => sum + places.length, 0) };
}

export interface MaskedStepOptions {
  config: EncoderConfig;
  parameters: ParameterStore;
  head: ParameterStore;
  dropout?: boolean;
  learns?: (name: string) => boolean;
  session?: SessionOptions;
}

/** Length groups in a batch: less padding. */
const GROUPS = 3;
/** Padded tokens that are looked at together where nothing is learned. */
const TOKEN_BUDGET = 4096;

/** Forward, loss and backward of an encoder that guesses hidden tokens. */
export class MaskedStep implements Step<MaskedBatch> {
  readonly #graph: LossGraph;
  readonly #built: MaskedGraph;
  readonly #config: EncoderConfig;

  private constructor(graph: LossGraph, built: MaskedGraph, config: EncoderConfig) {
    this.#graph = graph;
    this.#built = built;
    this.#config = config;
  }

  static async create(options: MaskedStepOptions): Promise<MaskedStep> {
    const { config, head, dropout, learns, session } = options;
    const graph = new Graph();
    const built = buildMasked(graph, config, { groups: GROUPS, dropout });
    const { loss, learned } = built;
    const parameters = joinedParameters(options.parameters, head);
    const compiled = await LossGraph.compile({ graph, loss, learned, learns, parameters, session });
    return new MaskedStep(compiled, built, config);
  }

  async addGradients({ texts }: MaskedBatch, gradients: ParameterStore, run: StepRun): Promise<StepResult> {
    const [config, built] = [this.#config, this.#built];
    const feeds = maskedFeeds(texts, { config, built, groups: GROUPS, random: run });
    const { loss } = await this.#graph.addGradients(feeds, gradients, run);
    return { loss, tokens: texts.reduce((sum, { ids }) => sum + ids.length, 0) };
  }

  release(): Promise<void> {
    return this.#graph.release();
  }
}

/** Lets an encoder guess with its weights as they are at the moment, without learning. */
export class MaskedGuesser {
  readonly #session: Session;
  readonly #built: MaskedGraph;
  readonly #config: EncoderConfig;
  readonly #parameters: ParameterLookup;

  private constructor(
    session: Session,
    built: MaskedGraph,
    config: EncoderConfig,
    parameters: ParameterLookup,
  ) {
    this.#session = session;
    this.#built = built;
    this.#config = config;
    this.#parameters = parameters;
  }

  static async create(
    options: Pick<MaskedStepOptions, 'config' | 'parameters' | 'head' | 'session'>,
  ): Promise<MaskedGuesser> {
    const { config, parameters, head, session } = options;
    const graph = new Graph();
    const built = buildMasked(graph, config, { groups: 1 });
    const { right, best } = built;
    const compiled = await Session.create(emitOnnx(graph, { outputs: { right, best } }), session);
    return new MaskedGuesser(compiled, built, config, joinedParameters(parameters, head));
  }

  /** The share of hidden tokens that are guessed right. */
  async accuracy(texts: readonly MaskedText[]): Promise<number> {
    let [guessed, hidden] = [0, 0];
    const lengths = texts.map(({ ids }) => ids.length);
    for (const members of batchByTokens(lengths, { tokenBudget: TOKEN_BUDGET })) {
      const { right, best } = await this.#session.run({
        ...parameterFeeds(this.#session, this.#parameters),
        ...maskedFeeds(
          members.map((member) => texts[member]),
          { config: this.#config, built: this.#built, groups: 1, random: { seed: 0, step: 0 } },
        ),
      });
      right.data.forEach((score, row) => {
        if (score >= best.data[row]) guessed++;
      });
      hidden += right.data.length;
    }
    return guessed / Math.max(1, hidden);
  }

  release(): Promise<void> {
    return this.#session.release();
  }
}

function maskedFeeds(
  texts: readonly MaskedText[],
  options: { config: EncoderConfig; built: MaskedGraph; groups: number; random: StepRandom },
): Record<string, DenseTensor> {
  const { config, built, groups, random } = options;
  const { padTokenId, positionOffset } = config;
  const packed = packBatch(texts, { groups, representation: HIDDEN_TOKENS, padTokenId, positionOffset });
  return {
    ...encoderFeeds(packed),
    ...dropoutFeeds(built.dropoutPlaces, packed, random),
    labels: labelFeeds(texts, packed.order),
  };
}
