import { adjustLogits } from './adjust-logits.js';
import { largest, logSumExp } from './choose-token.js';
import type { Decoder } from './decoder.js';
import type { BeamOptions, GenerateOptions } from './generate-options.js';

/** A sequence and the sum of its tokens' log probabilities. */
export interface Hypothesis {
  tokens: number[];
  sum: number;
}

/** Looks for the most probable sequences, keeping `beams` of them for each text while it writes. */
export class BeamSearch {
  readonly #decoder: Decoder;
  readonly #options: GenerateOptions;
  readonly #beam: BeamOptions;

  constructor(decoder: Decoder, options: GenerateOptions, beam: BeamOptions) {
    this.#decoder = decoder;
    this.#options = options;
    this.#beam = beam;
  }

  /** The best sequences for each source, best first. */
  async run(sources: readonly ArrayLike<number>[]): Promise<Hypothesis[][]> {
    const { beams } = this.#beam;
    const { startId, padId, endId } = this.#decoder.shape;
    const state = await this.#decoder.read(sources, beams);
    let going = sources.map((): Hypothesis[] => [{ tokens: [], sum: 0 }]);
    const finished = sources.map((): Hypothesis[] => []);
    let last = new Int32Array(sources.length * beams).fill(startId);
    for (let length = 1; length <= this.#options.maxTokens; length++) {
      const logits = await this.#decoder.write(state, last);
      const size = logits.length / last.length;
      const from = Array.from({ length: last.length }, (_, row) => row);
      last = new Int32Array(last.length).fill(padId);
      going = going.map((hypotheses, text) => {
        if (this.#isDone(hypotheses, finished[text], length)) return [];
        const next = this.#extend(hypotheses, (place) => {
          const row = text * beams + place;
          return logits.subarray(row * size, (row + 1) * size);
        });
        const kept: Hypothesis[] = [];
        for (const { tokens, sum, place } of next) {
          if (tokens.at(-1) === endId) {
            finished[text].push({ tokens, sum });
            continue;
          }
          if (kept.length === beams) continue;
          const row = text * beams + kept.length;
          from[row] = text * beams + place;
          last[row] = tokens.at(-1)!;
          kept.push({ tokens, sum });
        }
        finished[text].sort((a, b) => this.#score(b) - this.#score(a));
        finished[text].length = Math.min(finished[text].length, beams);
        return kept;
      });
      if (going.every((hypotheses) => hypotheses.length === 0)) break;
      this.#decoder.reorder(state, from);
    }
    return finished.map((done, text) =>
      [...done, ...going[text]].sort((a, b) => this.#score(b) - this.#score(a)).slice(0, beams),
    );
  }

  /** The most probable continuations of all hypotheses of a text: enough that `beams` of them do not end. */
  #extend(
    hypotheses: readonly Hypothesis[],
    logitsOf: (place: number) => Float32Array,
  ): (Hypothesis & { place: number })[] {
    const { beams } = this.#beam;
    const { endId } = this.#decoder.shape;
    const next = hypotheses.flatMap(({ tokens, sum }, place) => {
      const logits = logitsOf(place);
      const total = logSumExp(logits);
      adjustLogits(logits, tokens, { ...this.#options, endId });
      return largest(logits, 2 * beams).map((token) => ({
        tokens: [...tokens, token],
        sum: sum + logits[token] - total,
        place,
      }));
    });
    return next.sort((a, b) => b.sum - a.sum).slice(0, 2 * beams);
  }

  /** Whether no hypothesis can still come before those that have ended. */
  #isDone(going: readonly Hypothesis[], finished: readonly Hypothesis[], length: number): boolean {
    if (going.length === 0) return true;
    if (finished.length < this.#beam.beams) return false;
    // Sums only fall; with a length penalty above 0 the longest possible sequence has the highest score.
    const longest = this.#beam.lengthPenalty > 0 ? this.#options.maxTokens : length;
    const best = going[0].sum / longest ** this.#beam.lengthPenalty;
    return best <= this.#score(finished.at(-1)!);
  }

  #score({ tokens, sum }: Hypothesis): number {
    return sum / tokens.length ** this.#beam.lengthPenalty;
  }
}
