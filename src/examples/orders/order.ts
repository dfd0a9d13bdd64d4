import type { z } from 'zod';
import type { Kind, OptionsOf } from '../../base/registry.js';

/** Which examples a batch has: a pure function of the step, so that a resumed run needs nothing but that. */
export interface BatchOrder {
  /**
   * @param step of the stage, from 0
   * @param part of the step, where several batches make one update
   */
  members(step: number, part: number): readonly number[];
}

/** What an order may use of the stage it serves. */
export interface OrderContext {
  /** How many examples there are. */
  readonly count: number;
  /** Examples in a batch, and batches in a step. */
  readonly queries: number;
  readonly accumulate: number;
  readonly seed: number;
  /** The stage's number: each has an order of its own. */
  readonly stage: number;
  /** The path of a file that a recipe names, which may be what an earlier stage made. */
  locate(file: string): Promise<string>;
}

/** A value of the axis of batch orders. */
export interface OrderKind<Shape extends z.ZodRawShape = z.ZodRawShape> extends Kind<Shape> {
  open(options: OptionsOf<Shape>, context: OrderContext): Promise<BatchOrder>;
}

/** Gives a kind's options their types. */
export function orderKind<Shape extends z.ZodRawShape>(kind: OrderKind<Shape>): OrderKind {
  return kind as unknown as OrderKind;
}
