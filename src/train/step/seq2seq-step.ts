import { Graph, type ParameterStore, type SessionOptions } from '../../engine/index.js';
import { dropoutFactors } from '../../model/encoder/dropout.js';
import type { Seq2SeqWeights } from '../../model/seq2seq/seq2seq-model.js';
import {
  buildTraining,
  packPairs,
  type Seq2SeqPair,
  type TrainingGraph,
} from '../../model/seq2seq/training-graph.js';
import type { Batch } from '../task/batch.js';
import { LossGraph } from './loss-graph.js';
import type { Step, StepResult, StepRun } from './step.js';

/** What one step of learning to write learns from; it has as many examples as tokens to write. */
export interface WritingBatch extends Batch {
  pairs: readonly Seq2SeqPair[];
}

/** A batch in which every token of a target counts the same. */
export function writingBatch(pairs: readonly Seq2SeqPair[]): WritingBatch {
  return { pairs, examples: pairs.reduce((sum, { target }) => sum + target.length, 0) };
}

export interface Seq2SeqStepOptions {
  model: Seq2SeqWeights;
  smoothing: number;
  learns?: (name: string) => boolean;
  session?: SessionOptions;
}

/** Forward, loss and backward of a model that reads a text and is told what to write. */
export class Seq2SeqStep implements Step<WritingBatch> {
  readonly #graph: LossGraph;
  readonly #built: TrainingGraph;
  readonly #model: Seq2SeqWeights;

  private constructor(graph: LossGraph, built: TrainingGraph, model: Seq2SeqWeights) {
    this.#graph = graph;
    this.#built = built;
    this.#model = model;
  }

  static async create(options: Seq2SeqStepOptions): Promise<Seq2SeqStep> {
    const { model, smoothing, learns, session } = options;
    const { spec, parameters } = model;
    const graph = new Graph();
    const built = buildTraining(graph, spec, { dropout: spec.hasDropout, smoothing });
    const { loss, learned } = built;
    const compiled = await LossGraph.compile({ graph, loss, learned, learns, parameters, session });
    return new Seq2SeqStep(compiled, built, model);
  }

  async addGradients({ pairs }: WritingBatch, gradients: ParameterStore, run: StepRun): Promise<StepResult> {
    const { feeds, dims, tokens } = packPairs(pairs, this.#model.spec);
    const all = { ...feeds, ...dropoutFactors(this.#built.dropoutPlaces, dims, run) };
    const { loss } = await this.#graph.addGradients(all, gradients, run);
    return { loss, tokens };
  }

  release(): Promise<void> {
    return this.#graph.release();
  }
}
