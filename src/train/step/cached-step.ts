import {
  type DenseTensor,
  differentiate,
  differentiateLoss,
  emitOnnx,
  Graph,
  type ParameterStore,
  Session,
} from '../../engine/index.js';
import { embeddingSize } from '../../model/encoder/encoder-graph.js';
import { batchByTokens, type TokenizedText } from '../../model/encoder/packed-batch.js';
import { type TrainingBatch, tokenCount } from '../task/batch.js';
import { GradientGraph, parameterFeeds } from './gradient-graph.js';
import { buildObjective, embeddedDim, objectiveFeeds, QUERIES } from './objective.js';
import type { Step, StepOptions, StepResult, StepRun } from './step.js';
import { TOWER_PREFIX, Tower } from './towers.js';

export interface CachedStepOptions extends StepOptions {
  /** Padded tokens encoded at once; memory grows with this and not with the batch. Default 4096. */
  tokenBudget?: number;
}

/** One side's encoder, forward only and with its backward pass. */
interface Side {
  tower: Tower;
  forward: Session;
  backward: GradientGraph;
}

/** Where the gradient of a chunk's embeddings is fed. */
const SEED = 'gradient of embeddings';

/**
 * Gradient caching (Gao et al. 2021): exact gradients of losses over batches that do not fit in memory.
 * Encode everything in chunks and keep only the vectors; differentiate the loss by the vectors; encode each
 * chunk again and push its vectors' gradients through. Costs one more forward pass than {@link DirectStep}.
 */
export class CachedStep implements Step {
  readonly #options: CachedStepOptions;
  readonly #sides: { queries: Side; documents: Side };
  readonly #objective: Session;

  private constructor(
    options: CachedStepOptions,
    sides: { queries: Side; documents: Side },
    objective: Session,
  ) {
    this.#options = options;
    this.#sides = sides;
    this.#objective = objective;
  }

  static async create(options: CachedStepOptions): Promise<CachedStep> {
    const prefixes = TOWER_PREFIX[options.towers ?? 'shared'];
    const queries = await compileSide(options, prefixes.queries);
    const shared = prefixes.queries === prefixes.documents;
    const documents = shared ? queries : await compileSide(options, prefixes.documents);
    return new CachedStep(options, { queries, documents }, await compileObjective(options));
  }

  async addGradients(batch: TrainingBatch, gradients: ParameterStore, run: StepRun): Promise<StepResult> {
    const { queries, documents } = this.#sides;
    const size = embeddingSize(this.#options.spec);
    const queryChunks = this.#chunks(queries, batch.queries, run, 0);
    const documentChunks = this.#chunks(documents, batch.documents, run, queryChunks.length);
    const result = await this.#objective.run({
      queries: {
        shape: [batch.queries.length, size],
        data: await this.#encode(queries, queryChunks, batch.queries.length),
      },
      documents: {
        shape: [batch.documents.length, size],
        data: await this.#encode(documents, documentChunks, batch.documents.length),
      },
      ...objectiveFeeds(batch, this.#options, run.weight),
    });
    await this.#backward(queries, queryChunks, result.dQueries.data as Float32Array, gradients);
    await this.#backward(documents, documentChunks, result.dDocuments.data as Float32Array, gradients);
    return {
      loss: Number(result.loss.data[0]),
      scores: result.scores.data as Float32Array,
      tokens: tokenCount(batch),
    };
  }

  async release(): Promise<void> {
    for (const side of new Set([this.#sides.queries, this.#sides.documents])) {
      await side.forward.release();
      await side.backward.release();
    }
    await this.#objective.release();
  }

  /** Each chunk has its own random stream for dropout, the same in both passes. */
  #chunks(side: Side, texts: readonly TokenizedText[], run: StepRun, firstPart: number): Chunk[] {
    const { seed, step, part = 0 } = run;
    const { tokenBudget = 4096 } = this.#options;
    const lengths = texts.map((text) => text.ids.length);
    return batchByTokens(lengths, { tokenBudget }).map((members, i) => ({
      members,
      feeds: () => {
        const chunk = members.map((member) => texts[member]);
        return side.tower.feeds(chunk, { seed, step, part: part * 0x10000 + firstPart + i });
      },
    }));
  }

  async #encode(side: Side, chunks: readonly Chunk[], count: number): Promise<Float32Array> {
    const size = embeddingSize(this.#options.spec);
    const vectors = new Float32Array(count * size);
    for (const { members, feeds } of chunks) {
      const { embeddings } = await side.forward.run({
        ...parameterFeeds(side.forward, this.#options.parameters),
        ...feeds(),
      });
      const rows = embeddings.data as Float32Array;
      members.forEach((member, row) => {
        vectors.set(rows.subarray(row * size, (row + 1) * size), member * size);
      });
    }
    return vectors;
  }

  async #backward(
    side: Side,
    chunks: readonly Chunk[],
    vectorGradients: Float32Array,
    gradients: ParameterStore,
  ): Promise<void> {
    const size = embeddingSize(this.#options.spec);
    for (const { members, feeds } of chunks) {
      const seed = new Float32Array(members.length * size);
      members.forEach((member, row) => {
        seed.set(vectorGradients.subarray(member * size, (member + 1) * size), row * size);
      });
      await side.backward.addGradients(
        { ...feeds(), [SEED]: { shape: [members.length, size], data: seed } },
        gradients,
      );
    }
  }
}

interface Chunk {
  members: number[];
  feeds: () => Record<string, DenseTensor>;
}

async function compileSide(options: CachedStepOptions, prefix: string): Promise<Side> {
  const { spec, dropout, parameters, session } = options;
  const graph = new Graph();
  const tower = new Tower(graph, { spec, prefix, groups: 1, dropout });
  const { embeddings } = tower;
  const forward = await Session.create(emitOnnx(graph, { outputs: { embeddings } }), session);
  const seed = graph.input(SEED, embeddings.shape);
  const gradients = differentiate([{ output: embeddings, gradient: seed }], tower.learned);
  const backward = await GradientGraph.compile({ graph, gradients, outputs: {}, parameters, session });
  return { tower, forward, backward };
}

async function compileObjective(options: CachedStepOptions): Promise<Session> {
  const graph = new Graph();
  const size = embeddingSize(options.spec);
  const queries = graph.input('queries', [QUERIES, size]);
  const documents = graph.input('documents', [embeddedDim(options), size]);
  const { loss, scores, weight } = buildObjective(graph, { queries, documents }, options);
  const { dense } = differentiateLoss(loss, [queries, documents], weight);
  const outputs = { loss, scores, dQueries: dense.get(queries)!, dDocuments: dense.get(documents)! };
  return Session.create(emitOnnx(graph, { outputs }), options.session);
}
