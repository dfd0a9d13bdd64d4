import { Random } from '../../engine/index.js';
import type { BatchOrder, ExampleSource, ExampleText } from '../../examples/index.js';
import type { EncodedTexts, TokenizedText } from '../../model/index.js';
import type { Negative } from '../../negatives/index.js';
import type { TokenizedCollection, TrainingData } from '../../run/training-data.js';
import type { CountedSource } from '../mining/stage-supplies.js';
import type { RetrievalBatch } from './batch.js';

export interface BatchMakerOptions {
  data: Pick<TrainingData, 'documents' | 'queries'>;
  examples: ExampleSource;
  order: BatchOrder;
  seed: number;
  /** The run's step that is the stage's first. */
  start: number;
  /** Batches whose gradients make up a step. */
  accumulate: number;
  /** Documents come in pieces (MaxP). */
  pieces: boolean;
  /** Rows of documents that were encoded beforehand, where documents do not learn. */
  storedRows?: (documents: readonly number[]) => Promise<EncodedTexts>;
}

/** A batch and where its texts and negatives came from. */
export interface MadeBatch extends RetrievalBatch {
  /** For each query its number among the examples. */
  members: readonly number[];
  /** For each document its number in the collection; −1 for one that is not of it. */
  documentNumbers: readonly number[];
  provenance: Negative[][];
}

/** What negatives are drawn from for a batch's examples; `undefined` where waiting for it was given up. */
export type SourcesFor = (members: readonly number[]) => Promise<readonly CountedSource[] | undefined>;

/**
 * Makes the batch of any step: a pure function of seed, step and the negatives' version, so that resuming needs
 * nothing but the step.
 */
export class BatchMaker {
  readonly #options: BatchMakerOptions;

  constructor(options: BatchMakerOptions) {
    this.#options = options;
  }

  /** The batches whose gradients make up a step of the run. */
  async at(step: number, sourcesFor: SourcesFor): Promise<MadeBatch[] | undefined> {
    const { order, start, accumulate } = this.#options;
    const batches: MadeBatch[] = [];
    for (let part = 0; part < accumulate; part++) {
      const members = order.members(step - start, part);
      const sources = await sourcesFor(members);
      if (!sources) return undefined;
      batches.push(await this.#make(step, members, sources));
    }
    return batches;
  }

  async #make(
    step: number,
    members: readonly number[],
    sources: readonly CountedSource[],
  ): Promise<MadeBatch> {
    const { data, examples, seed, pieces, storedRows } = this.#options;
    const documents = new DocumentPlaces();
    const queries: ExampleText[] = [];
    const positives: number[] = [];
    const provenance: Negative[][] = [];
    for (const member of members) {
      const random = Random.from(seed, 'negatives', step, member);
      const example = await examples.at(member, random);
      queries.push(example.query);
      positives.push(documents.place(example.positive));
      provenance.push(sources.flatMap(({ source, count }) => source.sample(member, random, count)));
    }
    const negatives = provenance.map((drawn) => drawn.map(({ document }) => documents.place(document)));
    const relevant = members.map((member) => documents.among(examples.relevant(member)));
    const { texts, offsets } = storedRows
      ? { texts: [], offsets: undefined }
      : await textsOf(data.documents, documents.texts);
    return {
      examples: members.length,
      members,
      queries: (await textsOf(data.queries, queries)).texts,
      documents: texts,
      documentNumbers: documents.numbers,
      ...(pieces && offsets && { pieceOffsets: offsets }),
      ...(storedRows && { documentRows: await storedRows(documents.numbers) }),
      positives,
      negatives,
      known: relevant.map((found) => found.map(({ place }) => place)),
      grades: relevant.map((found, i) => {
        const grades = examples.grades(members[i]);
        return found.map(({ nth }) => grades[nth]);
      }),
      provenance,
    };
  }
}

/** Documents of a batch, each once, in the order they were first needed. */
class DocumentPlaces {
  readonly texts: ExampleText[] = [];
  readonly #placeOf = new Map<number, number>();

  get numbers(): number[] {
    return this.texts.map((text) => (typeof text === 'number' ? text : -1));
  }

  place(text: ExampleText): number {
    const known = typeof text === 'number' ? this.#placeOf.get(text) : undefined;
    if (known !== undefined) return known;
    if (typeof text === 'number') this.#placeOf.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }

  /** Those of some documents that the batch has, and which of the list each one is. */
  among(documents: Int32Array): { place: number; nth: number }[] {
    return [...documents].flatMap((document, nth) => {
      const place = this.#placeOf.get(document);
      return place === undefined ? [] : { place, nth };
    });
  }
}

/** Tokens of texts of a collection, read together, and of others as they are; a text may have several pieces. */
async function textsOf(
  collection: TokenizedCollection,
  wanted: readonly ExampleText[],
): Promise<{ texts: TokenizedText[]; offsets: number[] }> {
  const numbers = wanted.filter((text) => typeof text === 'number');
  const read = await collection.texts(numbers);
  if (numbers.length === wanted.length) return read;
  const texts: TokenizedText[] = [];
  const offsets = [0];
  let nth = 0;
  for (const text of wanted) {
    if (typeof text === 'number') {
      texts.push(...read.texts.slice(read.offsets[nth], read.offsets[nth + 1]));
      nth++;
    } else texts.push(text);
    offsets.push(texts.length);
  }
  return { texts, offsets };
}
