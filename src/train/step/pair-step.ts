import {
  type DenseTensor,
  differentiateLoss,
  Graph,
  matmul,
  mul,
  type ParameterStore,
  type SessionOptions,
} from '../../engine/index.js';
import type { Loss } from '../../loss/index.js';
import { buildCrossEncoder } from '../../model/cross-encoder/cross-encoder-graph.js';
import { textsDim } from '../../model/encoder/encoder-graph.js';
import { type CrossEncoderModel, joinTexts } from '../../model/index.js';
import type { TrainingBatch } from '../task/batch.js';
import { GradientGraph } from './gradient-graph.js';
import { buildLoss, DOCUMENTS, objectiveFeeds, QUERIES } from './objective.js';
import { OrderedRows } from './ordered-rows.js';
import type { Step, StepResult, StepRun } from './step.js';

export interface PairStepOptions {
  model: CrossEncoderModel;
  loss: Loss;
  /** Scores are multiplied by this before the loss: 1 / temperature. Default 1. */
  scale?: number;
  dropout?: boolean;
  session?: SessionOptions;
}

/** Length groups in a batch: pairs are of more even lengths than queries and documents. */
const GROUPS = 2;
const PAIRS = textsDim('', GROUPS);

/** Where the score of each pair stands in the matrix of scores. */
interface Place {
  query: number;
  document: number;
}

/**
 * The step of a cross-encoder: each query is read together with its positive and with each of its own negatives, so
 * there is a score for these pairs only. They are laid out as the matrix that every loss works on: two 0/1 matrices
 * say which row and which column a pair belongs to, and the masks leave out all other places.
 */
export class PairStep implements Step {
  readonly #graph: GradientGraph;
  readonly #rows: OrderedRows;
  readonly #options: PairStepOptions;

  private constructor(graph: GradientGraph, rows: OrderedRows, options: PairStepOptions) {
    this.#graph = graph;
    this.#rows = rows;
    this.#options = options;
  }

  static async create(options: PairStepOptions): Promise<PairStep> {
    const { model, loss, scale = 1, dropout, session } = options;
    const { config } = model.spec;
    const graph = new Graph();
    const { scores: embeddings, ...encoder } = buildCrossEncoder(graph, model.spec, {
      groups: GROUPS,
      dropout,
    });
    const rows = new OrderedRows(
      graph,
      { ...encoder, embeddings },
      { config, pooling: 'first', prefix: '', groups: GROUPS },
    );
    const rowOf = graph.input('row of pair', [QUERIES, PAIRS]);
    const columnOf = graph.input('column of pair', [PAIRS, DOCUMENTS]);
    const scores = matmul(rowOf, mul(rows.rows, columnOf), { alpha: scale });
    const objective = buildLoss(graph, scores, { loss, negatives: 'own' });
    const gradients = differentiateLoss(objective.loss, rows.learned, objective.weight);
    const compiled = await GradientGraph.compile({
      graph,
      gradients,
      outputs: { loss: objective.loss, scores },
      parameters: model.parameters,
      session,
    });
    return new PairStep(compiled, rows, options);
  }

  async addGradients(batch: TrainingBatch, gradients: ParameterStore, run: StepRun): Promise<StepResult> {
    const places = placesOf(batch);
    const pairs = places.map(({ query, document }) =>
      joinTexts(this.#options.model, batch.queries[query], batch.documents[document]),
    );
    const tokens = pairs.reduce((sum, { ids }) => sum + ids.length, 0);
    // A lone pair is read twice and counts once: the graph has a fixed number of groups, none of them empty.
    while (pairs.length < GROUPS) pairs.push(pairs[0]);
    const feeds = {
      ...this.#rows.feeds(pairs, run),
      ...placeFeeds(batch, places, pairs.length),
      ...objectiveFeeds(batch, { loss: this.#options.loss, negatives: 'own' }, run.weight),
    };
    const { loss, scores } = await this.#graph.addGradients(feeds, gradients);
    return { loss: Number(loss.data[0]), scores: scores.data as Float32Array, tokens };
  }

  release(): Promise<void> {
    return this.#graph.release();
  }
}

/** Each query with its positive and its own negatives, those left out that are known to be relevant. */
function placesOf({ queries, positives, negatives, known }: TrainingBatch): Place[] {
  return queries.flatMap((_, query) => {
    const relevant = new Set([...(known?.[query] ?? []), positives[query]]);
    const drawn = [...new Set(negatives[query])].filter((document) => !relevant.has(document));
    return [positives[query], ...drawn].map((document) => ({ query, document }));
  });
}

function placeFeeds(
  { queries, documents }: TrainingBatch,
  places: readonly Place[],
  pairs: number,
): Record<string, DenseTensor> {
  const rows = new Float32Array(queries.length * pairs);
  const columns = new Float32Array(pairs * documents.length);
  places.forEach(({ query, document }, pair) => {
    rows[query * pairs + pair] = 1;
    columns[pair * documents.length + document] = 1;
  });
  return {
    'row of pair': { shape: [queries.length, pairs], data: rows },
    'column of pair': { shape: [pairs, documents.length], data: columns },
  };
}
