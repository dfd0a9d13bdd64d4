import type { TimedEvent } from '../../run/events.js';

/**
 * Counts what a role has done that it had never done before. A process that is started again first goes over old
 * ground: it takes up negatives, finds shards on disk and repeats steps. One that dies there each time gets nowhere.
 */
export class RoleProgress {
  /** How many new things were done. */
  marks = 0;
  readonly #furthest = new Map<string, number>();

  note(event: TimedEvent): void {
    const place = placeOf(event);
    if (place === undefined || place.at <= (this.#furthest.get(place.of) ?? -1)) return;
    this.#furthest.set(place.of, place.at);
    this.marks++;
  }
}

/** What an event is a step on the way of, and how far along it is. */
function placeOf(event: TimedEvent): { of: string; at: number } | undefined {
  switch (event.type) {
    case 'step':
    case 'checkpoint':
    case 'refresh':
    case 'evaluation':
      return { of: event.type, at: event.step };
    case 'encode':
      return { of: `encode ${event.step}`, at: event.done };
    default:
      return undefined;
  }
}
