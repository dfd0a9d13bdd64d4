import { differentiateLoss, Graph, type ParameterStore, type SessionOptions } from '../../engine/index.js';
import type { StepRandom } from '../../model/encoder/dropout.js';
import type { EncoderSpec } from '../../model/encoder/encoder-graph.js';
import type { Towers } from '../../recipe/recipe.js';
import { type TrainingBatch, tokenCount } from '../task/batch.js';
import { GradientGraph } from './gradient-graph.js';
import { buildObjective, embeddedDim, type ObjectiveOptions, objectiveFeeds } from './objective.js';
import { buildTowers, type TwoSides } from './towers.js';

export interface StepOptions extends ObjectiveOptions {
  spec: EncoderSpec;
  /** Laid out by `towerParameters`. */
  parameters: ParameterStore;
  /** Default `shared`. */
  towers?: Towers;
  /** Length groups in a batch: more means less padding, and more but smaller attention products. Default 3. */
  groups?: number;
  dropout?: boolean;
  session?: SessionOptions;
}

/** What one computation of gradients depends on besides the batch. */
export interface StepRun extends StepRandom {
  /** Factor of the loss's gradient: the share of a batch that is learned in parts. Default 1. */
  weight?: number;
}

export interface StepResult {
  loss: number;
  /** [queries, documents], row by row. */
  scores: Float32Array;
  /** Tokens that were encoded, without padding. */
  tokens: number;
}

/** What every way to compute a batch's gradients offers. */
export interface Step {
  /** Computes the batch's loss and adds its gradients to `gradients`. */
  addGradients(batch: TrainingBatch, gradients: ParameterStore, run: StepRun): Promise<StepResult>;
  release(): Promise<void>;
}

/** Forward, loss and backward as one compiled graph: the fastest way while the batch fits in memory. */
export class DirectStep implements Step {
  readonly #graph: GradientGraph;
  readonly #sides: TwoSides;
  readonly #options: StepOptions;

  private constructor(graph: GradientGraph, sides: TwoSides, options: StepOptions) {
    this.#graph = graph;
    this.#sides = sides;
    this.#options = options;
  }

  static async create(options: StepOptions): Promise<DirectStep> {
    const { spec, towers = 'shared', groups = 3, dropout, parameters, session } = options;
    const graph = new Graph();
    const sides = buildTowers(graph, { spec, towers, groups, dropout, documents: embeddedDim(options) });
    const { loss, scores, weight } = buildObjective(graph, sides, options);
    const gradients = differentiateLoss(loss, sides.learned, weight);
    const compiled = await GradientGraph.compile({
      graph,
      gradients,
      outputs: { loss, scores },
      parameters,
      session,
    });
    return new DirectStep(compiled, sides, options);
  }

  async addGradients(batch: TrainingBatch, gradients: ParameterStore, run: StepRun): Promise<StepResult> {
    const feeds = {
      ...this.#sides.feeds(batch, run),
      ...objectiveFeeds(batch, this.#options, run.weight),
    };
    const { loss, scores } = await this.#graph.addGradients(feeds, gradients);
    return { loss: Number(loss.data[0]), scores: scores.data as Float32Array, tokens: tokenCount(batch) };
  }

  release(): Promise<void> {
    return this.#graph.release();
  }
}
