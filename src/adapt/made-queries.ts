import type { Dataset } from '../data/index.js';
import { Random } from '../engine/random.js';
import { type MadePair, type PairMaker, pairMakers, pairSources } from '../examples/index.js';
import { defaultOptions } from '../examples/pairs/default-options.js';
import { AskedQueries } from './asked-queries.js';
import type { Mix } from './choose-mix.js';
import { HeldOutDocuments } from './held-out-documents.js';

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
  const held = new HeldOutDocuments({ seed, sources });
  const asked = new AskedQueries();
  let nth = 0;
  for await (const source of pairSources(dataset, { onDocument })) {
    held.read(source);
    const sides = new Set(source.passages.map(({ number }) => held.has(number)));
    for (const reservoir of reservoirs) {
      const isOwn = sides.has(reservoir.heldOut);
      // That a title is that of two files is known only where all files are asked.
      if (!isOwn && !reservoir.maker.natural) continue;
      const random = Random.from(seed, 'pairs', nth, reservoir.maker.name);
      for (const pair of reservoir.maker.make(source, random, reservoir.options as never)) {
        asked.add(pair);
        if (isOwn && (held.has(pair.document) ?? reservoir.heldOut) === reservoir.heldOut)
          reservoir.add(pair);
      }
    }
    nth++;
  }
  const drawnOf = (heldOut: boolean): MadeQuery[] =>
    evenly(
      reservoirs
        .filter((reservoir) => reservoir.heldOut === heldOut)
        .map(({ queries }) => queries.filter(({ document }) => held.has(document) === heldOut)),
      heldOut ? most.heldOut : most.train,
    );
  const drawn = [...drawnOf(false), ...drawnOf(true)];
  const queries = asked.unambiguous(drawn);
  const left = (held: boolean): number => countOf(drawn, held) - countOf(queries, held);
  return { queries, ambiguous: { train: left(false), heldOut: left(true) } };
}

function countOf(queries: readonly MadeQuery[], held: boolean): number {
  return queries.filter(({ heldOut }) => heldOut === held).length;
}

/** The numbers of the documents that may be learned from. */
export async function learnedDocuments(
  dataset: Dataset,
  split: Pick<MakeQueriesOptions, 'seed' | 'sources'>,
): Promise<number[]> {
  const held = new HeldOutDocuments(split);
  const numbers: number[] = [];
  for await (const source of pairSources(dataset)) {
    held.read(source);
    for (const { number, text } of source.passages) {
      if (!held.has(number) && text.trim() !== '') numbers.push(number);
    }
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
function evenly(queries: readonly (readonly MadeQuery[])[], most: number): MadeQuery[] {
  const waiting = queries.map((own) => own.values());
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
