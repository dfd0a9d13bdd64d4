import { Graph, type ParameterStore, type SessionOptions, split } from '../../engine/index.js';
import { weightedMse } from '../../loss/weighted-mse.js';
import type { TokenizedText } from '../../model/encoder/tokenized-texts.js';
import type { EncoderModel } from '../../model/index.js';
import type { Batch } from '../task/batch.js';
import { LossGraph } from './loss-graph.js';
import type { Step, StepResult, StepRun } from './step.js';
import { Tower } from './towers.js';

/** A text and what its words are to weigh. */
export interface WeighedText extends TokenizedText {
  /** For each token what it should weigh. */
  targets: Float32Array;
  /** 1 for each token that a word begins with: the others are not asked. */
  asked: Float32Array;
}

/** What one step of learning to weigh words learns from; it has as many examples as words. */
export interface WeighingBatch extends Batch {
  texts: readonly WeighedText[];
}

/** A batch in which every word counts the same. */
export function weighingBatch(texts: readonly WeighedText[]): WeighingBatch {
  const count = (sum: number, { asked }: WeighedText): number => sum + asked.reduce((a, b) => a + b, 0);
  return { texts, examples: texts.reduce(count, 0) };
}

export interface TermStepOptions {
  model: EncoderModel;
  dropout: boolean;
  learns?: (name: string) => boolean;
  session?: SessionOptions;
}

/** Forward, loss and backward of a model that weighs words: the mean squared error over them (DeepCT). */
export class TermStep implements Step<WeighingBatch> {
  readonly #graph: LossGraph;
  readonly #tower: Tower;

  private constructor(graph: LossGraph, tower: Tower) {
    this.#graph = graph;
    this.#tower = tower;
  }

  static async create({ model, dropout, learns, session }: TermStepOptions): Promise<TermStep> {
    const graph = new Graph();
    const tower = new Tower(graph, { spec: model.spec, prefix: '', side: 'documents', groups: 1, dropout });
    const [, weights] = split(tower.rows, { axis: 1, sizes: [1, 1] });
    const column = (name: string) => graph.input(name, [weights.shape[0], 1]);
    const loss = weightedMse(weights, column('targets'), column('asked'));
    const [{ learned }, { parameters }] = [tower, model];
    const compiled = await LossGraph.compile({ graph, loss, learned, learns, parameters, session });
    return new TermStep(compiled, tower);
  }

  async addGradients(
    { texts, examples }: WeighingBatch,
    gradients: ParameterStore,
    run: StepRun,
  ): Promise<StepResult> {
    const tokens = texts.reduce((sum, { ids }) => sum + ids.length, 0);
    const column = (of: (text: WeighedText) => Float32Array) => {
      const data = new Float32Array(tokens);
      let at = 0;
      for (const text of texts) {
        data.set(of(text), at);
        at += text.ids.length;
      }
      return { shape: [tokens, 1], data };
    };
    const feeds = {
      ...this.#tower.feeds(texts, run),
      targets: column(({ targets }) => targets),
      asked: column(({ asked }) => asked.map((one) => one / examples)),
    };
    const { loss } = await this.#graph.addGradients(feeds, gradients, run);
    return { loss, tokens };
  }

  release(): Promise<void> {
    return this.#graph.release();
  }
}
