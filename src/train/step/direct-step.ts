import {
  differentiateLoss,
  Graph,
  type ParameterLookup,
  type ParameterStore,
  type SessionOptions,
} from '../../engine/index.js';
import type { RetrievalBatch } from '../task/batch.js';
import type { BatchScores, BuildScores } from './batch-scores.js';
import { GradientGraph } from './gradient-graph.js';
import {
  buildObjective,
  type Objective,
  partOutputs,
  partResults,
  type StageLoss,
  scoreScale,
} from './objective.js';
import type { Step, StepResult, StepRun } from './step.js';

export interface DirectStepOptions {
  scores: BuildScores;
  losses: readonly StageLoss[];
  parameters: ParameterLookup;
  /** Which parameters learn. Default all. */
  learns?: (name: string) => boolean;
  /** How much of the stage is over at a step, from 0 to 1. Default: all. */
  progress?: (step: number) => number;
  session?: SessionOptions;
}

/** What a retrieval step gives besides the loss. */
export interface ScoredResult extends StepResult {
  /** [queries, documents], row by row. */
  scores: Float32Array;
}

/** Forward, loss and backward as one compiled graph: the fastest way while the batch fits in memory. */
export class DirectStep implements Step<RetrievalBatch> {
  readonly #graph: GradientGraph;
  readonly #scores: BatchScores;
  readonly #objective: Objective;
  readonly #progress: DirectStepOptions['progress'];

  private constructor(
    graph: GradientGraph,
    parts: { scores: BatchScores; objective: Objective; progress: DirectStepOptions['progress'] },
  ) {
    this.#graph = graph;
    this.#scores = parts.scores;
    this.#objective = parts.objective;
    this.#progress = parts.progress;
  }

  static async create(options: DirectStepOptions): Promise<DirectStep> {
    const { losses, learns = () => true, parameters, session } = options;
    const graph = new Graph();
    const scores = options.scores(graph, scoreScale(losses));
    const objective = buildObjective(graph, scores, losses);
    const learned = scores.learned.filter(({ name }) => learns(name));
    const gradients = differentiateLoss(objective.loss, learned, objective.weight);
    const outputs = { loss: objective.loss, scores: scores.scores, ...partOutputs(objective) };
    const compiled = await GradientGraph.compile({ graph, gradients, outputs, parameters, session });
    return new DirectStep(compiled, { scores, objective, progress: options.progress });
  }

  async addGradients(batch: RetrievalBatch, gradients: ParameterStore, run: StepRun): Promise<ScoredResult> {
    const { feeds, tokens } = this.#scores.feeds(batch, run);
    const all = { ...feeds, ...this.#objective.feeds(batch, run.weight ?? 1, this.#progress?.(run.step)) };
    const outputs = await this.#graph.addGradients(all, gradients);
    return {
      loss: Number(outputs.loss.data[0]),
      ...partResults(this.#objective, outputs),
      scores: outputs.scores.data as Float32Array,
      tokens,
    };
  }

  release(): Promise<void> {
    return this.#graph.release();
  }
}
