import {
  add,
  type DenseTensor,
  type Dim,
  div,
  equal,
  type Graph,
  matmul,
  mul,
  pick,
  reduceMax,
  reduceSum,
  split,
  sqrt,
  toFloat,
  type Value,
  where,
} from '../../engine/index.js';
import type {
  ListInputs,
  Loss,
  LossInputs,
  PrefixInputs,
  TeacherInputs,
  VectorInputs,
} from '../../loss/index.js';
import { MASKED } from '../../model/encoder/packed-batch.js';
import type { BatchNegatives } from '../../run/plan.js';
import { documentCount, queryCount, type RetrievalBatch } from '../task/batch.js';
import type { BatchScores, TextRows } from './batch-scores.js';
import { gainMatrix, LIST, listFeeds, negativeMask, positiveMask } from './loss-feeds.js';
import type { StepResult } from './step.js';

/** The dimensions of a step's score matrix. */
export const QUERIES = 'queries';
export const DOCUMENTS = 'documents';

/** One of the losses of a stage. */
export interface StageLoss {
  loss: Loss;
  /** Its factor in the sum. Default 1. */
  weight?: number;
  /** Scores are multiplied by this before the loss: 1 / temperature. Default 1. */
  scale?: number;
  /** What counts as a negative; the loss's own choice when left out. */
  negatives?: BatchNegatives;
  /** Whether it has a teacher of its own, whose scores batches have by the loss's place. */
  ownTeacher?: boolean;
}

/** From scores to one number, inside a graph. */
export interface Objective {
  loss: Value;
  /** The factor of the loss's gradient. */
  weight: Value;
  /** Each loss by itself, where there are several. */
  parts: Record<string, Value>;
  /** @param progress how much of the stage is over. Default 1. */
  feeds(batch: RetrievalBatch, weight: number, progress?: number): Record<string, DenseTensor>;
}

/** The factor that scores have to be built with: losses of other temperatures scale them again. */
export function scoreScale([{ scale = 1 }]: readonly StageLoss[]): number {
  return scale;
}

/**
 * Adds the losses over scores [queries, documents], scaled by {@link scoreScale}. The whole matrix costs little beside
 * encoding, and makes pairwise, n-way and in-batch losses the same computation under different masks.
 */
export function buildObjective(
  graph: Graph,
  { scores, rows }: Pick<BatchScores, 'scores' | 'rows'>,
  losses: readonly StageLoss[],
): Objective {
  const inputs = new LossFeeds(graph, rows);
  const built = losses.map((stageLoss, place) => {
    const { loss, scale = 1, weight = 1, negatives = loss.negatives, ownTeacher } = stageLoss;
    const factor = scale / scoreScale(losses);
    const scaled = factor === 1 ? scores : mul(scores, factor);
    const value = loss.build(
      inputs.of(loss, { scores: scaled, scale, negatives, ...(ownTeacher && { teacher: place }) }),
    );
    return { name: loss.name, value, weighted: weight === 1 ? value : mul(value, weight) };
  });
  const weight = graph.input('weight', []);
  return {
    loss: built.map(({ weighted }) => weighted).reduce((sum, value) => add(sum, value)),
    weight,
    parts: built.length > 1 ? Object.fromEntries(built.map(({ name, value }) => [name, value])) : {},
    feeds: (batch, factor, progress = 1) => ({
      ...inputs.feeds(batch, progress),
      weight: { shape: [], data: Float32Array.of(factor) },
    }),
  };
}

const partOutput = (loss: string): string => `loss ${loss}`;

/** The losses of an objective as outputs of its graph, where there are several. */
export function partOutputs({ parts }: Objective): Record<string, Value> {
  return Object.fromEntries(Object.entries(parts).map(([name, value]) => [partOutput(name), value]));
}

/** What {@link partOutputs} came to. */
export function partResults(
  { parts }: Objective,
  outputs: Record<string, DenseTensor>,
): Pick<StepResult, 'parts'> {
  const names = Object.keys(parts);
  if (names.length === 0) return {};
  return {
    parts: Object.fromEntries(names.map((name) => [name, Number(outputs[partOutput(name)].data[0])])),
  };
}

/** What a loss is shown of a batch. */
interface LossSight {
  scores: Value;
  scale: number;
  negatives: BatchNegatives;
  /** Its place, where it has a teacher of its own. */
  teacher?: number;
}

/** The inputs that losses ask for: each made once for all of them, and fed only where one asks. */
class LossFeeds {
  readonly #graph: Graph;
  readonly #rows: BatchScores['rows'];
  readonly #made = new Map<string, Value>();
  readonly #feeds: ((batch: RetrievalBatch, progress: number) => Record<string, DenseTensor>)[] = [];

  constructor(graph: Graph, rows: BatchScores['rows']) {
    this.#graph = graph;
    this.#rows = rows;
  }

  of(loss: Loss, { scores, scale, negatives, teacher }: LossSight): LossInputs {
    const allowed = this.#matrix(`negative.${negatives === 'hardest' ? 'batch' : negatives}`, (batch) =>
      negativeMask(batch, negatives),
    );
    const needs = new Set(loss.needs);
    return {
      scores,
      positive: this.#matrix('positive', positiveMask),
      negative: negatives === 'hardest' ? hardest(scores, allowed) : allowed,
      ...(needs.has('teacher') && { teacher: this.#teacher(teacher) }),
      ...(needs.has('gains') && { gains: this.#matrix('gains', gainMatrix) }),
      ...(needs.has('lists') && { lists: this.#lists(scores) }),
      ...(needs.has('vectors') && { vectors: this.#vectors(loss) }),
      ...(needs.has('rows') && { rows: this.#rowsFor(loss) }),
      ...(needs.has('progress') && { progress: this.#progress() }),
      ...(needs.has('prefixes') && { prefixes: this.#prefixes(loss, scale) }),
    };
  }

  feeds(batch: RetrievalBatch, progress: number): Record<string, DenseTensor> {
    return Object.assign({}, ...this.#feeds.map((feed) => feed(batch, progress)));
  }

  #progress(): Value {
    return this.#once('progress', () => {
      this.#feeds.push((_, progress) => ({ progress: { shape: [], data: Float32Array.of(progress) } }));
      return this.#graph.input('progress', []);
    });
  }

  #teacher(own: number | undefined): TeacherInputs {
    const part = (name: 'scores' | 'known'): Value =>
      this.#matrix(own === undefined ? `teacher.${name}` : `teacher.${own}.${name}`, (batch) => ({
        shape: [queryCount(batch), documentCount(batch)],
        data: (own === undefined ? batch.teacher! : batch.lossTeachers!.get(own)!)[name],
      }));
    return { scores: part('scores'), known: part('known') };
  }

  #rowsFor({ name }: Loss): TextRows {
    if (!this.#rows) throw new Error(`${name} needs a vector of each text`);
    return this.#rows;
  }

  #prefixes(loss: Loss, scale: number): PrefixInputs {
    const { queries, documents, normalized } = this.#rowsFor(loss);
    const size = Number(queries.shape[1]);
    return {
      size,
      scores: (dimensions) => {
        const [left, right] = [queries, documents].map((rows) => prefixOf(rows, dimensions, normalized));
        return matmul(left, right, { transposeB: true, alpha: scale });
      },
    };
  }

  #vectors(loss: Loss): VectorInputs {
    const { queries, documents } = this.#rowsFor(loss);
    const taught = (part: 'queries' | 'documents', texts: string, size: Dim): Value =>
      this.#once(`teacher.vectors.${part}`, () => {
        this.#feeds.push(({ teacherVectors }) => {
          const data = teacherVectors![part];
          return { [`teacher.vectors.${part}`]: { shape: [data.length / Number(size), Number(size)], data } };
        });
        return this.#graph.input(`teacher.vectors.${part}`, [texts, size]);
      });
    const known = this.#once('teacher.vectors.known', () => {
      this.#feeds.push(({ teacherVectors }) => ({
        'teacher.vectors.known': { shape: [teacherVectors!.known.length], data: teacherVectors!.known },
      }));
      return this.#graph.input('teacher.vectors.known', [DOCUMENTS]);
    });
    return {
      queries,
      documents,
      teacher: {
        queries: taught('queries', QUERIES, queries.shape[1]),
        documents: taught('documents', DOCUMENTS, documents.shape[1]),
        known,
      },
    };
  }

  #lists(scores: Value): ListInputs {
    const shape = [QUERIES, LIST];
    const columns = this.#once('list.columns', () => this.#graph.input('list.columns', shape, 'int32'));
    const gains = this.#once('list.gains', () => this.#graph.input('list.gains', shape));
    const present = this.#once('list.present', () => {
      this.#feeds.push((batch) => {
        const { columns, gains, present, ideal } = listFeeds(batch);
        return {
          'list.columns': columns,
          'list.gains': gains,
          'list.present': present,
          'list.ideal': ideal,
        };
      });
      return this.#graph.input('list.present', shape);
    });
    const ideal = this.#once('list.ideal', () => this.#graph.input('list.ideal', shape));
    return { scores: mul(pick(scores, columns), present), gains, present, ideal };
  }

  #matrix(name: string, feed: (batch: RetrievalBatch) => DenseTensor): Value {
    return this.#once(name, () => {
      this.#feeds.push((batch) => ({ [name]: feed(batch) }));
      return this.#graph.input(name, [QUERIES, DOCUMENTS]);
    });
  }

  #once(name: string, make: () => Value): Value {
    const value = this.#made.get(name) ?? make();
    this.#made.set(name, value);
    return value;
  }
}

/** The first numbers of rows. */
function prefixOf(rows: Value, dimensions: number, normalized: boolean): Value {
  const size = Number(rows.shape[1]);
  const [prefix] =
    dimensions < size ? split(rows, { axis: 1, sizes: [dimensions, size - dimensions] }) : [rows];
  if (!normalized) return prefix;
  // As encoders normalise their rows.
  return div(prefix, sqrt(add(reduceSum(mul(prefix, prefix), { axes: [-1], keepDims: true }), 1e-24)));
}

/** Of the allowed documents, only the best scored of each query; comparing stops gradients. */
function hardest(scores: Value, allowed: Value): Value {
  const candidates = where(equal(allowed, 1), scores, MASKED);
  const best = reduceMax(candidates, { axes: [1], keepDims: true });
  return mul(allowed, toFloat(equal(candidates, best)));
}
