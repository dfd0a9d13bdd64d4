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
import { batchByTokens } from '../../model/encoder/packed-batch.js';
import type { TokenizedText } from '../../model/encoder/tokenized-texts.js';
import { type RetrievalBatch, tokenCount } from '../task/batch.js';
import type { DirectStepOptions, ScoredResult } from './direct-step.js';
import { GradientGraph, parameterFeeds } from './gradient-graph.js';
import { buildObjective, type Objective, partOutputs, partResults, scoreScale } from './objective.js';
import type { Step, StepRun } from './step.js';
import { RowScores, type TowerScoresOptions } from './tower-scores.js';
import { TOWER_PREFIX, Tower } from './towers.js';

export interface CachedStepOptions
  extends Omit<DirectStepOptions, 'scores'>,
    Omit<TowerScoresOptions, 'groups' | 'storedDocuments'> {
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
export class CachedStep implements Step<RetrievalBatch> {
  readonly #options: CachedStepOptions;
  readonly #sides: { queries: Side; documents: Side };
  readonly #rows: RowScores;
  readonly #objective: CompiledObjective;

  private constructor(
    options: CachedStepOptions,
    sides: { queries: Side; documents: Side },
    rows: RowScores,
    objective: CompiledObjective,
  ) {
    this.#options = options;
    this.#sides = sides;
    this.#rows = rows;
    this.#objective = objective;
  }

  static async create(options: CachedStepOptions): Promise<CachedStep> {
    const prefixes = TOWER_PREFIX[options.towers ?? 'shared'];
    const queries = await compileSide(options, prefixes.queries);
    const shared = prefixes.queries === prefixes.documents;
    const documents = shared ? queries : await compileSide(options, prefixes.documents);
    const rows = new RowScores(options);
    return new CachedStep(options, { queries, documents }, rows, await compileObjective(options, rows));
  }

  async addGradients(batch: RetrievalBatch, gradients: ParameterStore, run: StepRun): Promise<ScoredResult> {
    const { queries, documents } = this.#sides;
    const size = embeddingSize(this.#options.spec);
    const queryChunks = this.#chunks(queries, batch.queries, run, 0);
    const documentChunks = this.#chunks(documents, batch.documents, run, queryChunks.length);
    const { objective, session } = this.#objective;
    const result = await session.run({
      queries: {
        shape: [batch.queries.length, size],
        data: await this.#encode(queries, queryChunks, batch.queries.length),
      },
      documents: {
        shape: [batch.documents.length, size],
        data: await this.#encode(documents, documentChunks, batch.documents.length),
      },
      ...this.#rows.feeds(batch),
      ...objective.feeds(batch, run.weight ?? 1),
    });
    await this.#backward(queries, queryChunks, result.dQueries.data as Float32Array, gradients);
    await this.#backward(documents, documentChunks, result.dDocuments.data as Float32Array, gradients);
    return {
      loss: Number(result.loss.data[0]),
      ...partResults(objective, result),
      scores: result.scores.data as Float32Array,
      tokens: tokenCount(batch),
    };
  }

  async release(): Promise<void> {
    for (const side of new Set([this.#sides.queries, this.#sides.documents])) {
      await side.forward.release();
      await side.backward.release();
    }
    await this.#objective.session.release();
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
  const { spec, dropout, parameters, learns = () => true, session } = options;
  const graph = new Graph();
  const tower = new Tower(graph, { spec, prefix, groups: 1, dropout });
  const { embeddings } = tower;
  const forward = await Session.create(emitOnnx(graph, { outputs: { embeddings } }), session);
  const seed = graph.input(SEED, embeddings.shape);
  const gradients = differentiate(
    [{ output: embeddings, gradient: seed }],
    tower.learned.filter(({ name }) => learns(name)),
  );
  const backward = await GradientGraph.compile({ graph, gradients, outputs: {}, parameters, session });
  return { tower, forward, backward };
}

/** From the rows of both sides to the loss and its gradients by them. */
interface CompiledObjective {
  objective: Objective;
  session: Session;
}

async function compileObjective(options: CachedStepOptions, rows: RowScores): Promise<CompiledObjective> {
  const { losses, spec } = options;
  const graph = new Graph();
  const size = embeddingSize(spec);
  const queries = graph.input('queries', [rows.dims.queries, size]);
  const documents = graph.input('documents', [rows.dims.documents, size]);
  const scores = rows.build(graph, { queries, documents }, scoreScale(losses));
  const objective = buildObjective(graph, scores, losses);
  const { loss, weight } = objective;
  const { dense } = differentiateLoss(loss, [queries, documents], weight);
  const outputs = {
    loss,
    scores,
    ...partOutputs(objective),
    dQueries: dense.get(queries)!,
    dDocuments: dense.get(documents)!,
  };
  return { objective, session: await Session.create(emitOnnx(graph, { outputs }), options.session) };
}
