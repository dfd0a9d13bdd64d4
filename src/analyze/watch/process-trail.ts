import type { TimedEvent } from '../../run/events.js';

/** What a process of a run has last said of itself. */
export interface ProcessTrail {
  /** When it last started, as ISO text. */
  startedAt?: string;
  lastEventAt?: string;
  threads?: number;
  /** In words: what it was doing. */
  activity?: string;
  /** Documents encoded so far, while a pass over the corpus is under way. */
  encoding?: { step: number; done: number; total: number };
  /** The last error it has reported since it started. */
  problem?: string;
  /** The last thing it has found worth a look, and went on. */
  warning?: string;
  /** Whether it went to its end. */
  ended: boolean;
}

export const NO_TRAIL: ProcessTrail = { ended: false };

/** The trail after an event of the process's own file. */
export function followTrail(trail: ProcessTrail, event: TimedEvent): ProcessTrail {
  const next = { ...trail, lastEventAt: event.time };
  switch (event.type) {
    case 'start': {
      const activity = event.process === 'trainer' ? 'starting' : 'waiting for a checkpoint';
      return {
        startedAt: event.time,
        lastEventAt: event.time,
        threads: event.threads,
        activity,
        ended: false,
      };
    }
    case 'step':
      return { ...next, activity: `stage ${event.stage}, step ${event.step + 1} of ${event.totalSteps}` };
    case 'checkpoint':
      return { ...next, activity: `saved checkpoint ${event.step}` };
    case 'wait':
      return { ...next, activity: `waiting for ${event.for}` };
    case 'encode': {
      const { step, done, total } = event;
      if (done < total) return { ...next, encoding: { step, done, total }, activity: `encoding the corpus` };
      return { ...next, encoding: undefined, activity: `indexing, mining and measuring step ${step}` };
    }
    case 'refresh':
      return { ...next, encoding: undefined, activity: `published the negatives of step ${event.step}` };
    case 'evaluation':
      return { ...next, encoding: undefined, activity: `measured step ${event.step}` };
    case 'log':
      if (event.level === 'info') return next;
      return { ...next, [event.level === 'error' ? 'problem' : 'warning']: event.message };
    case 'end':
      return { ...next, encoding: undefined, activity: undefined, ended: true };
    default:
      return next;
  }
}
