import { closingOnFailure } from '../base/closing.js';
import type { TextPair } from '../text/tokenizer.js';
import { meanOfNormalized, type Normalization } from './normalize.js';
import { type OpenPairScorerOptions, PairScorer, type ScoringProgress } from './pair-scorer.js';

/** Several models that score as one: the mean of what each gives to a query's documents. */
export class PairScorers {
  readonly scorers: readonly PairScorer[];
  readonly #normalize: Normalization;

  constructor(scorers: readonly PairScorer[], normalize: Normalization) {
    this.scorers = scorers;
    this.#normalize = normalize;
  }

  /** @param folders of models; where one cannot be opened, those before it are closed */
  static open(
    folders: readonly string[],
    { normalize = 'none', ...options }: OpenPairScorerOptions & { normalize?: Normalization } = {},
  ): Promise<PairScorers> {
    return closingOnFailure(async (closing) => {
      const scorers: PairScorer[] = [];
      for (const folder of folders) scorers.push(await closing.add(PairScorer.open(folder, options)));
      return new PairScorers(scorers, normalize);
    });
  }

  /** The scores of one query's pairs, which are normalised together. */
  async score(pairs: readonly TextPair[]): Promise<Float32Array> {
    const [scores] = await this.scoreLists([pairs]);
    return scores;
  }

  /**
   * The scores of several queries' pairs, each query's normalised by themselves.
   *
   * @param onChunk told after each chunk that one of the models has scored
   */
  async scoreLists(
    lists: readonly (readonly TextPair[])[],
    onChunk?: (progress: ScoringProgress) => void | Promise<void>,
  ): Promise<Float32Array[]> {
    const pairs = lists.flat();
    const given: Float32Array[] = [];
    for (const scorer of this.scorers) given.push(await scorer.score(pairs, onChunk));
    let end = 0;
    return lists.map(({ length }) => {
      const start = end;
      end += length;
      const own = given.map((scores) => scores.subarray(start, end));
      return meanOfNormalized(own, this.#normalize);
    });
  }

  async close(): Promise<void> {
    for (const scorer of this.scorers) await scorer.close();
  }
}
