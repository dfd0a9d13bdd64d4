import { Random } from '../engine/random.js';
import type { PairSource } from '../examples/index.js';

/** The share of the files whose pairs are not learned from. */
const HELD_OUT_SHARE = 0.3;
/** Of fewer files than this, passages are held out one by one. */
const FEW_SOURCES = 20;

/**
 * Which documents are measured with and not learned from: those of some files, or some passages where there are few files.
 */
export class HeldOutDocuments {
  readonly #bySource: boolean;
  readonly #draw: (nth: number) => boolean;
  readonly #held = new Set<number>();
  #nth = 0;
  #isHeld = false;
  #documents = 0;

  constructor({ seed, sources }: { seed: number; sources: number }) {
    this.#bySource = sources >= FEW_SOURCES;
    this.#draw = (nth) => Random.from(seed, 'held-out', nth).uniform() < HELD_OUT_SHARE;
  }

  /** Takes the next file, or the next part of one, which goes with the parts before it. */
  read({ passages, goesOn }: PairSource): void {
    const nth = this.#nth++;
    if (!goesOn) this.#isHeld = this.#draw(nth);
    for (const { number } of passages) {
      if (this.#bySource ? this.#isHeld : this.#draw(number)) this.#held.add(number);
      this.#documents = number + 1;
    }
  }

  /** `undefined` as long as the document's file has not been read: links lead there, too. */
  has(document: number): boolean | undefined {
    return document < this.#documents ? this.#held.has(document) : undefined;
  }
}
