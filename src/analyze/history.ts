import { exists } from '../base/files.js';
import { readLineBatches } from '../base/lines.js';
import {
  type MadeEvent,
  parseEvents,
  ROLES,
  type StepEvent,
  type TeacherEvent,
  type TimedEvent,
} from '../run/events.js';
import type { MiningOutcome } from '../run/mining-outcome.js';
import type { RunDirectory } from '../run/run-directory.js';

/** What batches teach; place `i` belongs to step `i`, NaN where it is not known. */
export interface GradientColumns {
  loss: number[];
  gradientNorm: number[];
  /** Gradient norms by layer group. */
  groupNorms: Record<string, number[]>;
}

/** Numbers that every step of the Trainer records. */
export interface StepColumns extends GradientColumns {
  learningRate: number[];
  tokens: number[];
  seconds: number[];
  /** The part of them in which the batch was made; NaN in runs from before it was recorded. */
  batchSeconds: number[];
  /** The checkpoint whose negatives served the step; NaN in stages without mined ones. */
  negativesVersion: number[];
  /** Of each source of negatives by itself, where it was measured. */
  sources: Record<string, GradientColumns>;
  /** What the task said of its batches, by name. */
  figures: Record<string, number[]>;
}

type TimedRefresh = Extract<TimedEvent, { type: 'refresh' }>;

/** Everything a run's events tell, in the order of steps. What was repeated after a crash counts once, the last time. */
export interface RunHistory {
  steps: StepColumns;
  refreshes: TimedRefresh[];
  evaluations: { step: number; measures: Record<string, number>; seconds: number; agreement?: number }[];
  /** What stages made, and how teachers did beside their students, one entry for each stage. */
  made: Omit<MadeEvent, 'type'>[];
  teachers: Omit<TeacherEvent, 'type'>[];
  /** What rules left of candidates that do not change. */
  mined: { step: number; source: string; mining: MiningOutcome }[];
  /** Threads each process last started with, where it was told. */
  threads: { trainer?: number; inferencer?: number };
}

/** Reads a run's events as a stream; a run may be going on meanwhile. */
export async function readHistory(run: RunDirectory): Promise<RunHistory> {
  const builder = new HistoryBuilder();
  for await (const event of runEvents(run)) builder.add(event);
  return builder.history();
}

/** Makes a history of events as they come. */
export class HistoryBuilder {
  readonly #steps: StepColumns = {
    loss: [],
    gradientNorm: [],
    learningRate: [],
    tokens: [],
    seconds: [],
    batchSeconds: [],
    negativesVersion: [],
    groupNorms: {},
    sources: {},
    figures: {},
  };
  readonly #refreshes = new Map<number, TimedRefresh>();
  readonly #evaluations = new Map<number, RunHistory['evaluations'][number]>();
  readonly #made = new Map<string, RunHistory['made'][number]>();
  readonly #teachers = new Map<string, RunHistory['teachers'][number]>();
  readonly #mined = new Map<string, RunHistory['mined'][number]>();
  readonly #threads: RunHistory['threads'] = {};

  add(event: TimedEvent): void {
    if (event.type === 'step') recordStep(this.#steps, event);
    if (event.type === 'refresh') this.#refreshes.set(event.step, event);
    if (event.type === 'evaluation') {
      const { step, measures, seconds, agreement } = event;
      this.#evaluations.set(step, { step, measures, seconds, ...(agreement !== undefined && { agreement }) });
    }
    if (event.type === 'made') {
      const { step, stage, maker, seconds, figures } = event;
      this.#made.set(stage, { step, stage, maker, seconds, ...(figures && { figures }) });
    }
    if (event.type === 'teacher') {
      const { type: _, time: __, ...told } = event;
      this.#teachers.set(event.stage, told);
    }
    if (event.type === 'mined') {
      const { step, source, table, mining } = event;
      this.#mined.set(table, { step, source, mining });
    }
    if (event.type === 'start') this.#threads[event.process] = event.threads;
  }

  /** What was added so far; its columns grow with what is added later. */
  history(): RunHistory {
    return {
      steps: this.#steps,
      refreshes: byStep(this.#refreshes),
      evaluations: byStep(this.#evaluations),
      made: [...this.#made.values()],
      teachers: [...this.#teachers.values()],
      mined: [...this.#mined.values()],
      threads: this.#threads,
    };
  }
}

async function* runEvents(run: RunDirectory): AsyncGenerator<TimedEvent> {
  for (const name of ROLES) {
    const path = run.file('events', `${name}.jsonl`);
    if (!(await exists(path))) continue;
    for await (const { lines } of readLineBatches(path)) yield* parseEvents(lines.join('\n'));
  }
}

function recordStep(columns: StepColumns, event: StepEvent): void {
  const { step } = event;
  for (const name of ['learningRate', 'tokens', 'seconds'] as const) put(columns[name], step, event[name]);
  put(columns.batchSeconds, step, event.batchSeconds ?? Number.NaN);
  put(columns.negativesVersion, step, event.negativesVersion ?? Number.NaN);
  recordGradients(columns, step, event);
  for (const [name, value] of Object.entries(event.figures ?? {})) {
    columns.figures[name] ??= [];
    put(columns.figures[name], step, value);
  }
  for (const evidence of event.sources ?? []) {
    columns.sources[evidence.source] ??= { loss: [], gradientNorm: [], groupNorms: {} };
    recordGradients(columns.sources[evidence.source], step, evidence);
  }
}

function recordGradients(
  columns: GradientColumns,
  step: number,
  { loss, gradientNorm, groupNorms }: Pick<StepEvent, keyof GradientColumns>,
): void {
  put(columns.loss, step, loss);
  put(columns.gradientNorm, step, gradientNorm);
  for (const [group, norm] of Object.entries(groupNorms)) {
    columns.groupNorms[group] ??= [];
    put(columns.groupNorms[group], step, norm);
  }
}

function put(column: number[], step: number, value: number): void {
  while (column.length < step) column.push(Number.NaN);
  column[step] = value;
}

function byStep<T extends { step: number }>(events: Map<number, T>): T[] {
  return [...events.values()].sort((a, b) => a.step - b.step);
}
