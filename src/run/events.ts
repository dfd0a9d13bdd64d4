import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { MiningOutcome } from './mining-outcome.js';

/** The two processes that a training consists of. */
export type Role = 'trainer' | 'inferencer';

export const ROLES: readonly Role[] = ['trainer', 'inferencer'];

/** Something that happened in a run, as it stands in `events/*.jsonl` and reaches the live view. */
export type RunEvent =
  | { type: 'start'; process: Role; step: number; threads?: number }
  | StepEvent
  | { type: 'checkpoint'; step: number; seconds: number }
  | { type: 'negatives'; step: number; version: number; age: number }
  | { type: 'encode'; step: number; done: number; total: number }
  | RefreshEvent
  /** Candidates that do not change while the run lasts; `table` is their folder under `negatives/`. */
  | { type: 'mined'; step: number; source: string; table: string; mining: MiningOutcome }
  | {
      type: 'evaluation';
      step: number;
      measures: Record<string, number>;
      best: boolean;
      seconds: number;
      /** Kendall's τ with the last teacher on its dev lists, where there is one. */
      agreement?: number;
    }
  | TeacherEvent
  /** A stage that makes data, and how far it is; `total` 0 where that is not known. */
  | { type: 'make'; step: number; stage: string; done: number; total: number }
  /** At the step after it, which is the same where it does not change the model. */
  | MadeEvent
  | { type: 'wait'; step: number; for: string }
  | { type: 'log'; level: 'info' | 'warning' | 'error'; message: string }
  | { type: 'end'; process: Role; step: number };

export interface StepEvent {
  type: 'step';
  step: number;
  totalSteps: number;
  stage: string;
  loss: number;
  /** Each loss by itself, where the stage has several. */
  parts?: Record<string, number>;
  learningRate: number;
  gradientNorm: number;
  groupNorms: Record<string, number>;
  tokens: number;
  seconds: number;
  /** The part of them in which the batch was made; runs from before it was recorded have none. */
  batchSeconds?: number;
  /** The checkpoint whose negatives served this step, where the stage has mined ones. */
  negativesVersion?: number;
  /** What the task has to say of the step's batches: margins of a teacher, negatives that a guide left out. */
  figures?: Record<string, number>;
  /** Of each source of negatives by itself, at the steps where it was measured and there is more than one. */
  sources?: SourceEvidence[];
}

/** What a step's batch would have taught with the negatives of one source alone, on the same weights. */
export interface SourceEvidence {
  /** As the recipe calls it: `in-batch`, `ann`. */
  source: string;
  loss: number;
  /** Before clipping. */
  gradientNorm: number;
  groupNorms: Record<string, number>;
}

/** What a stage made, with figures for people: sizes of clusters, what rules removed. */
export interface MadeEvent {
  type: 'made';
  step: number;
  stage: string;
  maker: string;
  seconds: number;
  figures?: Record<string, number>;
}

/** How a teacher did beside its student before anything was learned from it. */
export interface TeacherEvent {
  type: 'teacher';
  step: number;
  stage: string;
  /** What the recipe says of it; absent where a stage that labels compared. */
  choice?: Record<string, unknown>;
  measure: string;
  split: string;
  queries: number;
  teacher: number;
  student: number;
  /** Kendall's τ of the two on the lists that the student found. */
  agreement?: number;
}

export interface RefreshEvent {
  type: 'refresh';
  step: number;
  /** Seconds each part took. */
  encodeSeconds: number;
  indexSeconds: number;
  searchSeconds: number;
  documents: number;
  queries: number;
  /** Share of the sampled-from candidates that the previous refresh did not have. */
  replacedShare?: number;
  /** What the search left for the training queries; runs from before it was recorded have none. */
  mining?: MiningOutcome;
}

/** An event with when it happened. */
export type TimedEvent = RunEvent & { time: string };

/** Appends events to a process's own file and hands them to whoever supervises it. */
export class EventWriter {
  readonly #handle: FileHandle;
  readonly #listener: ((event: TimedEvent) => void) | undefined;

  private constructor(handle: FileHandle, listener?: (event: TimedEvent) => void) {
    this.#handle = handle;
    this.#listener = listener;
  }

  static async open(path: string, listener?: (event: TimedEvent) => void): Promise<EventWriter> {
    await mkdir(dirname(path), { recursive: true });
    return new EventWriter(await open(path, 'a'), listener);
  }

  async write(event: RunEvent): Promise<void> {
    const timed: TimedEvent = { time: new Date().toISOString(), ...event };
    this.#listener?.(timed);
    // One write call a line: a kill leaves at most one cut-off line, which readers skip.
    await this.#handle.write(`${JSON.stringify(timed)}\n`);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Parses the lines of an events file, passing over one that a kill cut off. */
export function parseEvents(text: string): TimedEvent[] {
  const events: TimedEvent[] = [];
  for (const line of text.split('\n')) {
    if (!line) continue;
    try {
      events.push(JSON.parse(line));
    } catch {
      // Only a line that was being written when its process was killed is not JSON.
    }
  }
  return events;
}
