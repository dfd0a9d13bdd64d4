import { Graph, joinedParameters, type ParameterStore, type SessionOptions } from '../../engine/index.js';
import type { EncoderConfig } from '../../model/encoder/config.js';
import type { MaskedText } from '../../model/mlm/mask-words.js';
import type { PooledRow } from '../../model/representation/representation.js';
import {
  buildRetroMae,
  type RetroMaeGraph,
  rebuiltCount,
  retroMaeFeeds,
} from '../../model/retromae/retromae-graph.js';
import type { SightOptions } from '../../model/retromae/sight.js';
import type { Batch } from '../task/batch.js';
import { LossGraph } from './loss-graph.js';
import type { Step, StepResult, StepRun } from './step.js';

/** What one step of rebuilding texts learns from; it has as many examples as tokens to rebuild. */
export interface RetroMaeBatch extends Batch {
  texts: readonly MaskedText[];
  /** Tokens to guess for each one to rebuild, over all batches of the step: every one of them counts the same. */
  hiddenShare: number;
}

/** The batches of a step, in each of which are some of its texts. */
export function retroMaeBatches(parts: readonly (readonly MaskedText[])[]): RetroMaeBatch[] {
  const rebuilt = parts.map((texts) => texts.reduce((sum, text) => sum + rebuiltCount(text), 0));
  const all = rebuilt.reduce((sum, count) => sum + count, 0);
  const hidden = parts.flat().reduce((sum, { places }) => sum + places.length, 0);
  return parts.map((texts, part) => ({ texts, examples: rebuilt[part], hiddenShare: hidden / all }));
}

export interface RetroMaeStepOptions extends Omit<SightOptions, 'random'> {
  config: EncoderConfig;
  /** How a text's states become its vector. */
  pooling: PooledRow;
  parameters: ParameterStore;
  /** The head that guesses tokens, and the decoder. */
  beside: ParameterStore;
  dropout?: boolean;
  learns?: (name: string) => boolean;
  session?: SessionOptions;
}

/** Forward, loss and backward of an encoder that guesses hidden tokens and of a decoder that rebuilds texts (RetroMAE). */
export class RetroMaeStep implements Step<RetroMaeBatch> {
  readonly #graph: LossGraph;
  readonly #built: RetroMaeGraph;
  readonly #options: RetroMaeStepOptions;

  private constructor(graph: LossGraph, built: RetroMaeGraph, options: RetroMaeStepOptions) {
    this.#graph = graph;
    this.#built = built;
    this.#options = options;
  }

  static async create(options: RetroMaeStepOptions): Promise<RetroMaeStep> {
    const { beside, dropout, learns, session } = options;
    const graph = new Graph();
    const built = buildRetroMae(graph, options, { dropout });
    const { loss, encoderLoss: encoder, decoderLoss: decoder, learned } = built;
    const others = { encoder, decoder };
    const parameters = joinedParameters(options.parameters, beside);
    const compiled = await LossGraph.compile({ graph, loss, others, learned, learns, parameters, session });
    return new RetroMaeStep(compiled, built, options);
  }

  async addGradients(
    { texts, examples, hiddenShare }: RetroMaeBatch,
    gradients: ParameterStore,
    run: StepRun,
  ): Promise<StepResult> {
    const feeds = retroMaeFeeds(texts, {
      ...this.#options,
      built: this.#built,
      weights: { guessed: 1 / (hiddenShare * examples), rebuilt: 1 / examples },
      random: run,
    });
    const { loss, ...parts } = await this.#graph.addGradients(feeds, gradients, run);
    return { loss, parts, tokens: texts.reduce((sum, { ids }) => sum + ids.length, 0) };
  }

  release(): Promise<void> {
    return this.#graph.release();
  }
}
