import type { Dataset } from '../data/index.js';
import { Random } from '../engine/random.js';
import { type MadePair, type PairMaker, pairMakers, pairSources } from '../examples/index.js';
import { defaultOptions } from '../examples/pairs/default-options.js';
import type { Mix } from './choose-mix.js';

/** A query that a maker made, to be learned from or measured with. */
export interface MadeQuery extends MadePair {
  maker: string;
  heldOut: boolean;
}

export interface MakeQueriesOptions {
  mix: Mix;
  seed: number;
  /** Files or articles of the collection, as a survey counted them. */
  sources: number;
  /** Queries to learn from, of all makers together, and to measure with. */
  most: { train: number; heldOut: number };
  /** Makers of the mix that no registry has. */
  makers?: readonly PairMaker[];
  onDocument?: () => void;
}

/** The share of the files whose pairs are not learned from. */
const HELD_OUT_SHARE = 0.3;
/** Of fewer files than this, passages are held out one by one. */
const FEW_SOURCES = 20;

/** What makers made of a collection. */
export interface MadeQueries {
  queries: MadeQuery[];
  /** How many were left out of each side, because several documents answer them alike. */
  ambiguous: { train: number; heldOut: number };
}

/**
 * Makes the queries of a mix in one pass over a collection: the same for the same seed. What is measured with comes from other
 * files than what is learned from. A query that two documents answer alike ("Installation") is left out.
 */
export async function makeQueries(
  dataset: Dataset,
  { mix, seed, sources, most, makers = [], onDocument }: MakeQueriesOptions,
): Promise<MadeQueries> {
  const makerOf = (name: string): PairMaker =>
    makers.find((maker) => maker.name === name) ?? pairMakers.get(name);
  const reservoirs = [
    ...mix.train.map((name) => new Reservoir(makerOf(name), { heldOut: false, seed, most: most.train })),
    ...mix.heldOut.map((name) => new Reservoir(makerOf(name), { heldOut: true, seed, most: most.heldOut })),
  ];
  const bySource = sources >= FEW_SOURCES;
  const isHeldOut = heldOutBy(seed);
  let nth = 0;
  for await (const source of pairSources(dataset, { onDocument })) {
    const held = bySource ? isHeldOut(nth) : undefined;
    for (const reservoir of reservoirs) {
      if (held !== undefined && held !== reservoir.heldOut) continue;
      const random = Random.from(seed, 'pairs', nth, reservoir.maker.name);
      for (const pair of reservoir.maker.make(source, random, reservoir.options as never)) {
        if (held !== undefined || isHeldOut(pair.document) === reservoir.heldOut) reservoir.add(pair);
      }
    }
    nth++;
  }
  const drawn = [
    ...evenly(
      reservoirs.filter(({ heldOut }) => !heldOut),
      most.train,
    ),
    ...evenly(
      reservoirs.filter(({ heldOut }) => heldOut),
      most.heldOut,
    ),
  ];
  const queries = withoutAmbiguous(drawn);
  const left = (held: boolean): number => countOf(drawn, held) - countOf(queries, held);
  return { queries, ambiguous: { train: left(false), heldOut: left(true) } };
}

function countOf(queries: readonly MadeQuery[], held: boolean): number {
  return queries.filter(({ heldOut }) => heldOut === held).length;
}

/** Whether a file, or a passage where there are few files, is not learned from. */
function heldOutBy(seed: number): (nth: number) => boolean {
  return (nth) => Random.from(seed, 'held-out', nth).uniform() < HELD_OUT_SHARE;
}

/** The numbers of the documents that may be learned from. */
export async function learnedDocuments(
  dataset: Dataset,
  { seed, sources }: Pick<MakeQueriesOptions, 'seed' | 'sources'>,
): Promise<number[]> {
  const isHeldOut = heldOutBy(seed);
  const numbers: number[] = [];
  let nth = 0;
  for await (const { passages } of pairSources(dataset)) {
    for (const { number, text } of passages) {
      const held = isHeldOut(sources >= FEW_SOURCES ? nth : number);
      if (!held && text.trim() !== '') numbers.push(number);
    }
    nth++;
  }
  return numbers;
}

/** Keeps some of the pairs of a maker, each as likely. */
class Reservoir {
  readonly maker: PairMaker;
  readonly options: object;
  readonly heldOut: boolean;
  readonly queries: MadeQuery[] = [];
  readonly #most: number;
  readonly #random: Random;
  #seen = 0;

  constructor(maker: PairMaker, { heldOut, seed, most }: { heldOut: boolean; seed: number; most: number }) {
    this.maker = maker;
    this.options = defaultOptions(this.maker);
    this.heldOut = heldOut;
    this.#most = most;
    this.#random = Random.from(seed, 'reservoir', maker.name, heldOut ? 1 : 0);
  }

  add(pair: MadePair): void {
    this.#seen++;
    const place = this.#seen <= this.#most ? this.#seen - 1 : this.#random.integer(this.#seen);
    if (place >= this.#most) return;
    this.queries[place] = { ...pair, maker: this.maker.name, heldOut: this.heldOut };
  }
}

/** As many of each maker as there are, up to its share; what one lacks the others give. */
function evenly(reservoirs: readonly Reservoir[], most: number): MadeQuery[] {
  const waiting = reservoirs.map(({ queries }) => queries.values());
  const taken: MadeQuery[] = [];
  while (waiting.length > 0 && taken.length < most) {
    for (const next of [...waiting]) {
      const { value, done } = next.next();
      if (done) waiting.splice(waiting.indexOf(next), 1);
      else if (taken.length < most) taken.push(value);
    }
  }
  return taken;
}

function withoutAmbiguous(queries: readonly MadeQuery[]): MadeQuery[] {
  const answers = new Map<string, Set<number>>();
  const keyOf = ({ query }: MadeQuery): string =>
    query.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
  for (const query of queries) {
    const key = keyOf(query);
    answers.set(key, (answers.get(key) ?? new Set()).add(query.document));
  }
  const seen = new Set<string>();
  return queries.filter((query) => {
    const key = keyOf(query);
    if (answers.get(key)!.size > 1 || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
