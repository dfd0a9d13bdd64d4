import { ROLES, type Role, type TimedEvent } from '../../run/events.js';
import { planRun } from '../../run/plan.js';
import { type RunDescription, readRunDescription } from '../../run/run-description.js';
import { RunDirectory } from '../../run/run-directory.js';
import { applyEvent, INITIAL_STATE, type TrainingState } from '../../run/training-state.js';
import { HistoryBuilder, type RunHistory } from '../history.js';
import { EventTail } from './event-tail.js';
import { followTrail, NO_TRAIL, type ProcessTrail } from './process-trail.js';
import { type RunCurves, runCurvesOf } from './run-curves.js';

/** What a run's events tell up to now. */
export interface RunSight {
  /** Another one whenever there are new events. */
  version: string;
  description: RunDescription;
  history: RunHistory;
  training: TrainingState;
  trails: Record<Role, ProcessTrail>;
}

/**
 * A run that is looked at again and again while it is going on: a look reads what was added since the last one, so
 * asking every second costs next to nothing.
 *
 * @example
 * const watched = new WatchedRun('runs/medquad');
 * const { loss, dev } = (await watched.curves()).curves;
 */
export class WatchedRun {
  readonly run: RunDirectory;
  #tails: Record<Role, EventTail>;
  #builder = new HistoryBuilder();
  #training: TrainingState = INITIAL_STATE;
  #trails: Record<Role, ProcessTrail> = { trainer: NO_TRAIL, inferencer: NO_TRAIL };
  #description: Promise<RunDescription> | undefined;
  #curves: { version: string; curves: RunCurves } | undefined;
  /** Looks come one after the other: two at once would count the same events twice. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.run = new RunDirectory(path);
    this.#tails = tailsOf(this.run);
  }

  /** Another one whenever there are new events; reads none of them. */
  async version(): Promise<string> {
    const versions = await Promise.all(ROLES.map((role) => this.#tails[role].version()));
    return versions.join('.');
  }

  look(): Promise<RunSight> {
    return this.#inTurn(() => this.#look());
  }

  /** All curves, thinned out to a few hundred points each. */
  curves(): Promise<{ version: string; curves: RunCurves }> {
    return this.#inTurn(async () => {
      if (this.#curves?.version === (await this.version())) return this.#curves;
      const { version, history, description } = await this.#look();
      this.#curves = { version, curves: runCurvesOf(history, planRun(description.recipe)) };
      return this.#curves;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #look(): Promise<RunSight> {
    this.#description ??= readRunDescription(this.run);
    const description = await this.#description.catch((error) => {
      this.#description = undefined;
      throw error;
    });
    // Before reading: events that come meanwhile may be told now, and the next look has another version.
    const version = await this.version();
    const replaced = await Promise.all(ROLES.map((role) => this.#tails[role].isReplaced()));
    if (replaced.includes(true)) this.#forget();
    for (const role of ROLES) {
      for await (const event of this.#tails[role].added()) this.#add(role, event);
    }
    return {
      version,
      description,
      history: this.#builder.history(),
      training: this.#training,
      trails: { ...this.#trails },
    };
  }

  #add(role: Role, event: TimedEvent): void {
    this.#builder.add(event);
    this.#trails[role] = followTrail(this.#trails[role], event);
    // The time between two runs of the Trainer says nothing about its pace.
    if (event.type === 'start' && role === 'trainer')
      this.#training = { ...this.#training, paceFrom: undefined };
    this.#training = applyEvent(this.#training, event, Date.parse(event.time));
  }

  #forget(): void {
    this.#builder = new HistoryBuilder();
    this.#training = INITIAL_STATE;
    this.#trails = { trainer: NO_TRAIL, inferencer: NO_TRAIL };
    this.#tails = tailsOf(this.run);
  }
}

function tailsOf(run: RunDirectory): Record<Role, EventTail> {
  return {
    trainer: new EventTail(run.file('events', 'trainer.jsonl')),
    inferencer: new EventTail(run.file('events', 'inferencer.jsonl')),
  };
}
