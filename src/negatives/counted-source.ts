import type { Random } from '../engine/random.js';
import type { Negative, NegativeSource } from './sampler.js';

/** What was asked of a source and what it gave. */
export interface SamplingReport {
  asked: number;
  drawn: number;
  /** Draws that gave fewer than asked because candidates ran out. */
  short: number;
  /** Draws that gave nothing. */
  empty: number;
  /** Negatives by the source that drew them. */
  bySource: Record<string, number>;
}

/** Passes on what another source draws and counts it, so that candidates do not run out unseen. */
export class CountedSource implements NegativeSource {
  readonly name: string;
  readonly #source: NegativeSource;
  #report = emptyReport();

  constructor(source: NegativeSource) {
    this.name = source.name;
    this.#source = source;
  }

  sample(query: number, random: Random, count: number): Negative[] {
    const drawn = this.#source.sample(query, random, count);
    const report = this.#report;
    report.asked += count;
    report.drawn += drawn.length;
    if (drawn.length < count) report.short++;
    if (drawn.length === 0 && count > 0) report.empty++;
    for (const { source } of drawn) report.bySource[source] = (report.bySource[source] ?? 0) + 1;
    return drawn;
  }

  /** The counts since the last call. */
  takeReport(): SamplingReport {
    const report = this.#report;
    this.#report = emptyReport();
    return report;
  }
}

function emptyReport(): SamplingReport {
  return { asked: 0, drawn: 0, short: 0, empty: 0, bySource: {} };
}
