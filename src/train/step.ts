import { differentiateLoss, Graph, type ParameterStore, type SessionOptions } from '../engine/index.js';
import type { EncoderSpec } from '../model/encoder-graph.js';
import { lossMasks, type TrainingBatch } from './batch.js';
import { GradientGraph } from './gradient-graph.js';
import { buildObjective, type ObjectiveOptions } from './objective.js';
import { buildTowers, type Towers, type TwoSides } from './towers.js';

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

/** What both ways to compute a step's gradients offer. */
export interface Step {
  /**
   * Computes the batch's loss and adds its gradients to `gradients`.
   *
   * @param random decides what dropout drops
   */
  addGradients(
    batch: TrainingBatch,
    gradients: ParameterStore,
    random: { seed: number; step: number },
  ): Promise<{ loss: number; scores: Float32Array }>;
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
    const sides = buildTowers(graph, { spec, towers, groups, dropout });
    const { loss, scores } = buildObjective(graph, sides, options);
    const gradients = differentiateLoss(loss, sides.learned);
    const compiled = await GradientGraph.compile({
      graph,
      gradients,
      outputs: { loss, scores },
      parameters,
      session,
    });
    return new DirectStep(compiled, sides, options);
  }

  async addGradients(
    batch: TrainingBatch,
    gradients: ParameterStore,
    random: { seed: number; step: number },
  ): Promise<{ loss: number; scores: Float32Array }> {
    const feeds = { ...this.#sides.feeds(batch, random), ...lossMasks(batch, this.#options.loss.negatives) };
    const { loss, scores } = await this.#graph.addGradients(feeds, gradients);
    return { loss: Number(loss.data[0]), scores: scores.data as Float32Array };
  }

  release(): Promise<void> {
    return this.#graph.release();
  }
}
