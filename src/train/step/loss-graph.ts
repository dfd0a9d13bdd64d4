import {
  type DenseTensor,
  differentiateLoss,
  type Graph,
  type ParameterLookup,
  type ParameterStore,
  type SessionOptions,
  type Value,
} from '../../engine/index.js';
import { GradientGraph } from './gradient-graph.js';
import type { StepRun } from './step.js';

export interface CompileLossOptions {
  graph: Graph;
  loss: Value;
  /** Other numbers that are wanted, by name. */
  others?: Record<string, Value>;
  /** The parameters that the loss depends on. */
  learned: readonly Value[];
  /** Which of them learn. Default all. */
  learns?: (name: string) => boolean;
  parameters: ParameterLookup;
  session?: SessionOptions;
}

/** A loss with its gradients as one compiled graph. Each run weighs it by its batch's share of the step. */
export class LossGraph {
  readonly #graph: GradientGraph;
  readonly #names: readonly string[];

  private constructor(graph: GradientGraph, names: readonly string[]) {
    this.#graph = graph;
    this.#names = names;
  }

  static async compile(options: CompileLossOptions): Promise<LossGraph> {
    const { graph, loss, others, learned, learns = () => true, parameters, session } = options;
    const gradients = differentiateLoss(
      loss,
      learned.filter(({ name }) => learns(name)),
      graph.input('weight', []),
    );
    const outputs = { loss, ...others };
    const compiled = await GradientGraph.compile({ graph, gradients, outputs, parameters, session });
    return new LossGraph(compiled, Object.keys(outputs));
  }

  /** Runs once, adds the weighted gradients to `gradients`, and gives the loss and the other numbers as they are. */
  async addGradients(
    feeds: Record<string, DenseTensor>,
    gradients: ParameterStore,
    { weight = 1 }: Pick<StepRun, 'weight'>,
  ): Promise<Record<string, number>> {
    const all = { ...feeds, weight: { shape: [], data: Float32Array.of(weight) } };
    const outputs = await this.#graph.addGradients(all, gradients);
    return Object.fromEntries(this.#names.map((name) => [name, Number(outputs[name].data[0])]));
  }

  release(): Promise<void> {
    return this.#graph.release();
  }
}
