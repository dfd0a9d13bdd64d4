import {
  differentiateLoss,
  Graph,
  joinedParameters,
  type ParameterStore,
  type SessionOptions,
} from '../../engine/index.js';
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
import { GradientGraph } from './gradient-graph.js';
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
  readonly #graph: GradientGraph;
  readonly #built: RetroMaeGraph;
  readonly #options: RetroMaeStepOptions;

  private constructor(graph: GradientGraph, built: RetroMaeGraph, options: RetroMaeStepOptions) {
    this.#graph = graph;
    this.#built = built;
    this.#options = options;
  }

  static async create(options: RetroMaeStepOptions): Promise<RetroMaeStep> {
    const { parameters, beside, dropout, learns = () => true, session } = options;
    const graph = new Graph();
    const built = buildRetroMae(graph, options, { dropout });
    const { loss, encoderLoss, decoderLoss } = built;
    const gradients = differentiateLoss(
      loss,
      built.learned.filter(({ name }) => learns(name)),
      graph.input('weight', []),
    );
    const compiled = await GradientGraph.compile({
      graph,
      gradients,
      outputs: { loss, encoderLoss, decoderLoss },
      parameters: joinedParameters(parameters, beside),
      session,
    });
    return new RetroMaeStep(compiled, built, options);
  }

  async addGradients(
    { texts, examples, hiddenShare }: RetroMaeBatch,
    gradients: ParameterStore,
    run: StepRun,
  ): Promise<StepResult> {
    const outputs = await this.#graph.addGradients(
      {
        ...retroMaeFeeds(texts, {
          ...this.#options,
          built: this.#built,
          weights: { guessed: 1 / (hiddenShare * examples), rebuilt: 1 / examples },
          random: run,
        }),
        weight: { shape: [], data: Float32Array.of(run.weight ?? 1) },
      },
      gradients,
    );
    const number = (name: string): number => Number(outputs[name].data[0]);
    return {
      loss: number('loss'),
      parts: { encoder: number('encoderLoss'), decoder: number('decoderLoss') },
      tokens: texts.reduce((sum, { ids }) => sum + ids.length, 0),
    };
  }

  release(): Promise<void> {
    return this.#graph.release();
  }
}
