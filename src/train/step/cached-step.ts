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
import { isSided } from '../../model/representation/kinds.js';
import { SIDES, type Side } from '../../model/side.js';
import { type RetrievalBatch, tokenCount } from '../task/batch.js';
import type { DirectStepOptions, ScoredResult } from './direct-step.js';
import { GradientGraph, parameterFeeds } from './gradient-graph.js';
import { buildObjective, type Objective, partOutputs, partResults, scoreScale } from './objective.js';
import type { Step, StepRun } from './step.js';
import { RowScores, type TowerScoresOptions } from './tower-scores.js';
import { TOWER_PREFIX, Tower } from './towers.js';

export interface CachedStepOptions
  extends Omit<DirectStepOptions, 'scores'>,
    Omit<TowerScoresOptions, 'groups'> {
  /** Padded tokens encoded at once; memory grows with this and not with the batch. Default 4096. */
  tokenBudget?: number;
}

/** The encoder of a side that learns, forward only and with its backward pass. */
interface CompiledTower {
  tower: Tower;
  forward: Session;
  backward: GradientGraph;
}

/** A side that does not learn has no tower: its rows come with the batch. */
type Towers = Partial<Record<Side, CompiledTower>>;

/** Where the gradient of a chunk's embeddings is fed. */
const SEED = 'gradient of embeddings';

/**
 * Gradient caching (Gao et al. 2021): exact gradients of losses over batches that do not fit in memory.
 * Encode everything in chunks and keep only the vectors; differentiate the loss by the vectors; encode each
 * chunk again and push its vectors' gradients through. Costs one more forward pass than {@link DirectStep}.
 */
export class CachedStep implements Step<RetrievalBatch> {
  readonly #options: CachedStepOptions;
  readonly #towers: Towers;
  readonly #rows: RowScores;
  readonly #objective: CompiledObjective;

  private constructor(
    options: CachedStepOptions,
    towers: Towers,
    rows: RowScores,
    objective: CompiledObjective,
  ) {
    this.#options = options;
    this.#towers = towers;
    this.#rows = rows;
    this.#objective = objective;
  }

  static async create(options: CachedStepOptions): Promise<CachedStep> {
    const prefixes = TOWER_PREFIX[options.towers ?? 'shared'];
    const compiled = new Map<string, CompiledTower>();
    const towers: Towers = {};
    for (const side of SIDES) {
      if (options.frozen?.includes(side)) continue;
      const prefix = prefixes[side];
      // A shared encoder that represents sides differently is compiled for each.
      const key = isSided(options.spec.head) ? side : prefix;
      towers[side] = compiled.get(key) ?? (await compileTower(options, side, prefix));
      compiled.set(key, towers[side]);
    }
    const rows = new RowScores(options);
    return new CachedStep(options, towers, rows, await compileObjective(options, rows));
  }

  async addGradients(batch: RetrievalBatch, gradients: ParameterStore, run: StepRun): Promise<ScoredResult> {
    const size = embeddingSize(this.#options.spec);
    const feeds: Record<string, DenseTensor> = {};
    const chunks: { side: Side; tower: CompiledTower; chunks: Chunk[]; offsets: Uint32Array }[] = [];
    let parts = 0;
    for (const side of SIDES) {
      const tower = this.#towers[side];
      const own = tower ? this.#chunks(tower, batch[side], run, parts) : [];
      const offsets = tower?.tower.offsets(batch[side]) ?? batch.rows![side]!.offsets;
      const data = tower ? await this.#encode(tower, own, offsets) : batch.rows![side]!.vectors;
      feeds[side] = { shape: [data.length / size, size], data };
      if (tower) chunks.push({ side, tower, chunks: own, offsets });
      parts += own.length;
    }
    const { objective, session } = this.#objective;
    const result = await session.run({
      ...feeds,
      ...this.#rows.feeds(batch),
      ...objective.feeds(batch, run.weight ?? 1, this.#options.progress?.(run.step)),
    });
    for (const { side, tower, chunks: own, offsets } of chunks) {
      const rows = { gradients: result[gradientOf(side)].data as Float32Array, offsets };
      await this.#backward(tower, own, rows, gradients);
    }
    return {
      loss: Number(result.loss.data[0]),
      ...partResults(objective, result),
      scores: result.scores.data as Float32Array,
      tokens: tokenCount(batch),
    };
  }

  async release(): Promise<void> {
    for (const tower of new Set(Object.values(this.#towers))) {
      await tower.forward.release();
      await tower.backward.release();
    }
    await this.#objective.session.release();
  }

  /** Each chunk has its own random stream for dropout, the same in both passes. */
  #chunks(
    { tower }: CompiledTower,
    texts: readonly TokenizedText[],
    run: StepRun,
    firstPart: number,
  ): Chunk[] {
    const { seed, step, part = 0 } = run;
    const { tokenBudget = 4096 } = this.#options;
    const lengths = texts.map((text) => tower.read(text).ids.length);
    return batchByTokens(lengths, { tokenBudget }).map((members, i) => ({
      members,
      feeds: () => {
        const chunk = members.map((member) => texts[member]);
        return tower.feeds(chunk, { seed, step, part: part * 0x10000 + firstPart + i });
      },
    }));
  }

  async #encode(
    { forward }: CompiledTower,
    chunks: readonly Chunk[],
    offsets: Uint32Array,
  ): Promise<Float32Array> {
    const size = embeddingSize(this.#options.spec);
    const vectors = new Float32Array(offsets[offsets.length - 1] * size);
    for (const { members, feeds } of chunks) {
      const { embeddings } = await forward.run({
        ...parameterFeeds(forward, this.#options.parameters),
        ...feeds(),
      });
      const rows = embeddings.data as Float32Array;
      forRows(members, offsets, ({ from, to, place }) => {
        vectors.set(rows.subarray(place * size, (place + to - from) * size), from * size);
      });
    }
    return vectors;
  }

  async #backward(
    { backward }: CompiledTower,
    chunks: readonly Chunk[],
    rows: { gradients: Float32Array; offsets: Uint32Array },
    gradients: ParameterStore,
  ): Promise<void> {
    const size = embeddingSize(this.#options.spec);
    for (const { members, feeds } of chunks) {
      const count = members.reduce((sum, text) => sum + rows.offsets[text + 1] - rows.offsets[text], 0);
      const seed = new Float32Array(count * size);
      forRows(members, rows.offsets, ({ from, to, place }) => {
        seed.set(rows.gradients.subarray(from * size, to * size), place * size);
      });
      await backward.addGradients({ ...feeds(), [SEED]: { shape: [count, size], data: seed } }, gradients);
    }
  }
}

/** Tells for each text of a chunk which rows it has among all, and where they start among those of the chunk. */
function forRows(
  members: readonly number[],
  offsets: Uint32Array,
  each: (rows: { from: number; to: number; place: number }) => void,
): void {
  let place = 0;
  for (const member of members) {
    const [from, to] = [offsets[member], offsets[member + 1]];
    each({ from, to, place });
    place += to - from;
  }
}

interface Chunk {
  members: number[];
  feeds: () => Record<string, DenseTensor>;
}

async function compileTower(options: CachedStepOptions, side: Side, prefix: string): Promise<CompiledTower> {
  const { spec, dropout, projector, parameters, learns = () => true, session } = options;
  const graph = new Graph();
  const tower = new Tower(graph, { spec, side, prefix, groups: 1, dropout, projector });
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
  const { losses, spec, frozen = [] } = options;
  const graph = new Graph();
  const size = embeddingSize(spec);
  const sides = {
    queries: graph.input('queries', [rows.dims.queries, size]),
    documents: graph.input('documents', [rows.dims.documents, size]),
  };
  const scores = rows.build(graph, sides, scoreScale(losses));
  const objective = buildObjective(graph, { scores, rows: rows.ofTexts(sides) }, losses);
  const { loss, weight } = objective;
  const learning = SIDES.filter((side) => !frozen.includes(side));
  const { dense } = differentiateLoss(
    loss,
    learning.map((side) => sides[side]),
    weight,
  );
  const outputs = {
    loss,
    scores,
    ...partOutputs(objective),
    ...Object.fromEntries(learning.map((side) => [gradientOf(side), dense.get(sides[side])!])),
  };
  return { objective, session: await Session.create(emitOnnx(graph, { outputs }), options.session) };
}

/** The output that has the gradients of a side's rows. */
function gradientOf(side: Side): string {
  return `gradient of ${side}`;
}
