import { readOracle } from '../../test/oracles.fixture.js';
import { inverseSelection } from '../base/numbers/inverse-selection.js';
import {
  type DenseTensor,
  differentiateLoss,
  emitOnnx,
  Graph,
  reshape,
  Session,
  selectRows,
  type Value,
} from '../engine/index.js';
import type { Rows } from '../model/scorer/scorer.js';
import type { LossInputs } from './loss.js';

type Numbers = number | readonly Numbers[];

/** One loss as PyTorch computes it in float64; `formula` is its definition in words. */
export interface OracleLoss {
  formula: string;
  inputs: Record<string, Numbers>;
  loss: number;
  /** By input; those left out get none. */
  gradients: Record<string, Numbers>;
}

export const oracleLosses = Object.entries(
  readOracle<Record<string, OracleLoss>>('tricks', 'losses.json'),
).map(([name, oracle]) => ({ name, oracle }));

/** The inputs of an oracle's loss in a graph of their own. */
export class OracleGraph {
  readonly graph = new Graph();
  readonly #oracle: OracleLoss;
  readonly #values = new Map<string, Value>();
  readonly #feeds: Record<string, DenseTensor> = {};

  constructor(oracle: OracleLoss) {
    this.#oracle = oracle;
  }

  /** An input that is one number. */
  number(name: string): number {
    return this.#oracle.inputs[name] as number;
  }

  /** An input of any rank. */
  value(name: string): Value {
    const known = this.#values.get(name);
    if (known) return known;
    const value = this.graph.input(name, tensorOf(this.#oracle.inputs[name]).shape);
    this.#values.set(name, value);
    return value;
  }

  /** Feeds an input that the oracle does not have. */
  feed(feeds: Record<string, DenseTensor>): void {
    Object.assign(this.#feeds, feeds);
  }

  /** The vectors of texts, [texts, most, size] or [texts, size], as a scorer gets them: those that are masked are not there. */
  rows(name: string, side: 'queries' | 'documents', mask?: string): { rows: Rows; offsets: number[] } {
    const value = this.value(name);
    const shape = value.shape as number[];
    const [texts, most, size] = shape.length === 3 ? shape : [shape[0], 1, shape[1]];
    const there = mask ? tensorOf(this.#oracle.inputs[mask]).data : new Float32Array(texts * most).fill(1);
    const selected = [...there.keys()].filter((row) => there[row] === 1);
    const offsets = [0];
    for (let text = 0; text < texts; text++) {
      const rows = there.subarray(text * most, (text + 1) * most).filter((row) => row === 1);
      offsets.push(offsets[text] + rows.length);
    }
    const dim = most === 1 ? side : `rows of ${side}`;
    const inverse = inverseSelection(selected, texts * most);
    this.feed({
      [`${side} there`]: { shape: [selected.length], data: Int32Array.from(selected) },
      [`${side} where`]: { shape: [texts * most], data: inverse },
    });
    const chosen = selectRows(
      reshape(value, [texts * most, size]),
      this.graph.input(`${side} there`, [dim], 'int32'),
      this.graph.input(`${side} where`, [texts * most], 'int32'),
    );
    return { rows: { value: chosen, texts: side, mostRows: most }, offsets };
  }

  /** An input that lists documents by their place: one (`positives`) or several (`own`) for each query. */
  documents(name: string): number[][] {
    return (this.#oracle.inputs[name] as (number | number[])[]).map((documents) => [documents].flat());
  }

  /** [queries, documents]: 1 at the documents listed for each query, else 0. */
  mask(listed: readonly (readonly number[])[], documents: number): Value {
    const data = new Float32Array(listed.length * documents);
    for (const [query, members] of listed.entries())
      for (const member of members) data[query * documents + member] = 1;
    return this.graph.constant({ shape: [listed.length, documents], data });
  }

  /** Each document's rank from 1, were they ordered by an input that has their gains. */
  idealRanks(name: string): Value {
    const rows = this.#oracle.inputs[name] as number[][];
    const ranks = rows.map((gains) => {
      const order = [...gains.keys()].sort((a, b) => gains[b] - gains[a]);
      return gains.map((_, document) => order.indexOf(document) + 1);
    });
    return this.graph.constant(tensorOf(ranks));
  }

  /** What a loss sees: the oracle's positives and own negatives, unless others are given. */
  inputs(
    scores: Value,
    { positives = this.documents('positives'), negatives = this.documents('own') } = {},
  ): LossInputs {
    const documents = scores.shape[1] as number;
    return { scores, positive: this.mask(positives, documents), negative: this.mask(negatives, documents) };
  }

  /** What a loss over the batch sees: document i is the positive of query i, and every other one its negative. */
  inBatch(scores: Value): LossInputs {
    const [queries, documents] = scores.shape as number[];
    const all = Array.from({ length: documents }, (_, d) => d);
    return this.inputs(scores, {
      positives: all.slice(0, queries).map((d) => [d]),
      negatives: all.slice(0, queries).map((q) => all.filter((d) => d !== q)),
    });
  }

  /** The loss, and its gradient by each input for which the oracle has one. */
  async run(loss: Value): Promise<{ loss: number; gradients: Record<string, ArrayLike<number>> }> {
    const names = Object.keys(this.#oracle.gradients);
    const { dense } = differentiateLoss(
      loss,
      names.map((name) => this.value(name)),
    );
    const outputs = Object.fromEntries(names.map((name) => [`d${name}`, dense.get(this.value(name))!]));
    const session = await Session.create(emitOnnx(this.graph, { outputs: { ...outputs, loss } }), {
      threads: 1,
    });
    const feeds = session.inputNames.map((name) => [
      name,
      this.#feeds[name] ?? tensorOf(this.#oracle.inputs[name]),
    ]);
    const results = await session.run(Object.fromEntries(feeds));
    await session.release();
    return {
      loss: Number(results.loss.data[0]),
      gradients: Object.fromEntries(
        names.map((name) => [name, Float64Array.from(results[`d${name}`].data, Number)]),
      ),
    };
  }
}

/** Nested lists as one tensor. */
export function tensorOf(numbers: Numbers): DenseTensor & { data: Float32Array } {
  const shape: number[] = [];
  for (let part = numbers; typeof part !== 'number'; part = part[0]) shape.push(part.length);
  return { shape, data: Float32Array.from(flatten(numbers)) };
}

function flatten(numbers: Numbers): number[] {
  return typeof numbers === 'number' ? [numbers] : numbers.flatMap(flatten);
}
