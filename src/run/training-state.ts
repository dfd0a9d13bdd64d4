import { mean } from '../base/numbers/mean.js';
import type { RunEvent } from './events.js';

/** What the live view knows of a run: everything it draws is a function of this. */
export interface TrainingState {
  stage: string;
  /** Steps done. */
  step: number;
  totalSteps: number;
  /** Losses of the present stage, thinned out to a bounded number; those of other stages may be on another scale. */
  losses: History;
  loss?: number;
  gradientNorm?: number;
  tokensPerSecond?: number;
  /** The checkpoint whose negatives are in use. */
  negativesVersion?: number;
  /** What the Trainer waits for. */
  waitingFor?: string;
  lastRefresh?: { step: number; seconds: number; replacedShare?: number };
  lastEvaluation?: Evaluated;
  bestEvaluation?: Evaluated;
  encoding?: { step: number; done: number; total: number };
  /** A stage that makes data; `total` 0 where it is not known. */
  making?: { stage: string; done: number; total: number };
  /** Seconds until the last step, at the pace so far. */
  secondsLeft?: number;
  /** When and where the pace is measured from: a resumed run does not start at 0. */
  paceFrom?: { step: number; time: number };
}

export interface Evaluated {
  step: number;
  measures: Record<string, number>;
}

/** Means of equally long stretches of a series. */
export interface History {
  readonly means: readonly number[];
  /** How many values each mean is of. */
  readonly stretch: number;
  /** Values of a stretch that is not complete yet. */
  readonly rest: readonly number[];
}

const MOST_MEANS = 256;
/** Weight of the newest step in the smoothed pace. */
const SMOOTHING = 0.2;

export const INITIAL_STATE: TrainingState = {
  stage: '',
  step: 0,
  totalSteps: 0,
  losses: { means: [], stretch: 1, rest: [] },
};

/** The state after an event that arrived at `now` (milliseconds). */
export function applyEvent(state: TrainingState, event: RunEvent, now: number): TrainingState {
  switch (event.type) {
    case 'start':
      if (event.process !== 'trainer') return state;
      // From the beginning: another run than the one shown before. Later: the pace was another process's.
      return event.step === 0 ? INITIAL_STATE : { ...state, paceFrom: undefined, secondsLeft: undefined };
    case 'step': {
      const { stage, totalSteps, loss, gradientNorm, negativesVersion } = event;
      const step = event.step + 1;
      const paceFrom = state.paceFrom ?? { step, time: now };
      const pace = event.tokens / Math.max(event.seconds, 1e-6);
      const before = state.tokensPerSecond ?? pace;
      return {
        ...state,
        stage,
        step,
        totalSteps,
        loss,
        gradientNorm,
        negativesVersion,
        losses: extend(stage === state.stage ? state.losses : INITIAL_STATE.losses, loss),
        tokensPerSecond: before + SMOOTHING * (pace - before),
        waitingFor: undefined,
        paceFrom,
        secondsLeft: secondsLeft(paceFrom, { step, time: now }, totalSteps),
      };
    }
    case 'encode':
      return { ...state, encoding: event.done < event.total ? event : undefined };
    case 'refresh': {
      const { step, replacedShare, encodeSeconds, indexSeconds, searchSeconds } = event;
      const seconds = encodeSeconds + indexSeconds + searchSeconds;
      return { ...state, encoding: undefined, lastRefresh: { step, seconds, replacedShare } };
    }
    case 'evaluation': {
      const evaluated = { step: event.step, measures: event.measures };
      return {
        ...state,
        lastEvaluation: evaluated,
        bestEvaluation: event.best ? evaluated : state.bestEvaluation,
      };
    }
    case 'make':
      return { ...state, making: event, waitingFor: undefined };
    case 'made':
      return { ...state, making: undefined, step: Math.max(state.step, event.step) };
    case 'wait':
      return { ...state, waitingFor: event.for };
    default:
      return state;
  }
}

function secondsLeft(
  from: { step: number; time: number },
  to: { step: number; time: number },
  totalSteps: number,
): number | undefined {
  const steps = to.step - from.step;
  return steps > 0 ? ((to.time - from.time) / 1000 / steps) * (totalSteps - to.step) : undefined;
}

/** Adds a value; when there are too many means, each two become one. */
export function extend({ means, stretch, rest }: History, value: number): History {
  const values = [...rest, value];
  if (values.length < stretch) return { means, stretch, rest: values };
  const all = [...means, mean(values)];
  if (all.length < MOST_MEANS) return { means: all, stretch, rest: [] };
  return { means: averaged(all, all.length / 2), stretch: stretch * 2, rest: [] };
}

/** A series as `count` means of neighbours, or as it is where it is not longer. */
export function averaged(values: readonly number[], count: number): number[] {
  if (values.length <= count) return [...values];
  return Array.from({ length: count }, (_, i) => {
    const [start, end] = [i, i + 1].map((edge) => Math.floor((edge * values.length) / count));
    return mean(values.slice(start, end));
  });
}
