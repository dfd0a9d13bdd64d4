import type { Dataset } from '../../data/index.js';
import { Random } from '../../engine/random.js';
import { defaultOptions } from './default-options.js';
import { pairMakers } from './kinds.js';
import type { MadePair, PairMaker, PairSource } from './pair-maker.js';
import { pairSources } from './sources.js';

/** What a maker would make of a collection. */
export interface PairSurvey {
  maker: string;
  description: string;
  origin: string;
  /** Whether people wrote its queries as what they are. */
  natural: boolean;
  /** Pairs in one pass; makers that draw by chance make others in the next. */
  pairs: number;
  /** Documents that answer one of them. */
  documents: number;
  /** Some of the pairs, each as likely. */
  samples: SampledPair[];
}

export interface SampledPair {
  query: string;
  /** What is learned from: the document, or what its maker left of it. */
  positive: string;
  /** Whether that is the document as it is. */
  whole: boolean;
}

export interface SurveyOptions {
  /** Default: all. */
  makers?: readonly PairMaker[];
  /** How many pairs to show of each. Default 3. */
  samples?: number;
  /** Default 1. */
  seed?: number;
  onDocument?: () => void;
}

/** What there is to learn from in a collection without labels: its documents, and what each maker makes of them. */
export interface CollectionSurvey {
  documents: number;
  /** Files or articles. */
  sources: number;
  makers: PairSurvey[];
}

/**
 * Shows what each pair maker would make of a collection, in one pass.
 *
 * @example
 * const { makers } = await surveyPairs(dataset, { samples: 1 });
 * for (const { maker, pairs, samples } of makers) console.log(maker, pairs, samples[0]?.query);
 */
export async function surveyPairs(dataset: Dataset, options: SurveyOptions = {}): Promise<CollectionSurvey> {
  const { makers = pairMakers.kinds, samples = 3, seed = 1, onDocument } = options;
  const tallies = makers.map((maker) => new Tally(maker, samples, seed));
  let sources = 0;
  let documents = 0;
  let nth = 0;
  for await (const source of pairSources(dataset, { onDocument })) {
    documents += source.passages.length;
    for (const tally of tallies) tally.add(source, nth);
    nth++;
    if (!source.goesOn) sources++;
  }
  return { documents, sources, makers: tallies.map((tally) => tally.result) };
}

class Tally {
  readonly #maker: PairMaker;
  readonly #options: object;
  readonly #most: number;
  readonly #seed: number;
  readonly #choice: Random;
  readonly #samples: SampledPair[] = [];
  #pairs = 0;
  #documents = 0;

  constructor(maker: PairMaker, samples: number, seed: number) {
    this.#maker = maker;
    this.#options = defaultOptions(maker);
    this.#most = samples;
    this.#seed = seed;
    this.#choice = Random.from(seed, 'samples', maker.name);
  }

  add(source: PairSource, nth: number): void {
    const random = Random.from(this.#seed, 'pairs', nth);
    const answering = new Set<number>();
    for (const pair of this.#maker.make(source, random, this.#options as never)) {
      this.#pairs++;
      answering.add(pair.document);
      // Reservoir sampling: the n-th pair is shown with probability most/n.
      const place = this.#pairs <= this.#most ? this.#pairs - 1 : this.#choice.integer(this.#pairs);
      if (place < this.#most) this.#samples[place] = sampled(pair, source);
    }
    this.#documents += answering.size;
  }

  get result(): PairSurvey {
    const { name, description, origin, natural = false } = this.#maker;
    return {
      maker: name,
      description,
      origin,
      natural,
      pairs: this.#pairs,
      documents: this.#documents,
      samples: this.#samples,
    };
  }
}

function sampled({ query, document, positive }: MadePair, { passages }: PairSource): SampledPair {
  const own = passages.find(({ number }) => number === document)?.text;
  // What a link leads to stands in another file.
  const place = passages.flatMap(({ links }) => links).find(({ target }) => target === document)?.to ?? '';
  return { query, positive: positive ?? own ?? place, whole: positive === undefined };
}
