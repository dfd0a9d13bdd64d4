import { Random } from '../../engine/index.js';
import type { BatchOrder, Example, ExampleSource, ExampleText } from '../../examples/index.js';
import type { EncodedTexts, TokenizedText } from '../../model/index.js';
import type { Side } from '../../model/side.js';
import type { Negative } from '../../negatives/index.js';
import type { TrainingData } from '../../run/training-data.js';
import type { CountedSource } from '../mining/stage-supplies.js';
import type { StageRows } from '../model/stage-rows.js';
import { LEAST_DOCUMENTS, type RetrievalBatch } from './batch.js';
import { tokensOf } from './example-texts.js';

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
  /** Tokens of a document, or of each of its pieces, that are read; all unless given. */
  documentTokens?: number;
  /** Where a side does not learn, batches have its rows. */
  rows?: Pick<StageRows, 'frozen' | 'of'>;
}

/** A batch and where its texts and negatives came from. */
export interface MadeBatch extends RetrievalBatch {
  /** For each query its number among the examples. */
  members: readonly number[];
  /** For each document its number in the collection; −1 for one that is not of it. */
  documentNumbers: readonly number[];
  provenance: Negative[][];
}

/** The examples of a batch before their negatives are drawn. */
export interface DrawnExamples {
  members: readonly number[];
  queries: readonly ExampleText[];
}

/** What negatives are drawn from for a batch's examples; `undefined` where waiting for it was given up. */
export type SourcesFor = (examples: DrawnExamples) => Promise<readonly CountedSource[] | undefined>;

/** An example of a batch, and the stream from which its negatives are drawn next. */
interface Drawn extends Example {
  member: number;
  random: Random;
}

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
      const drawn = await this.#draw(step, order.members(step - start, part));
      const sources = await sourcesFor({
        members: drawn.map(({ member }) => member),
        queries: drawn.map(({ query }) => query),
      });
      if (!sources) return undefined;
      batches.push(await this.#make(drawn, sources));
    }
    return batches;
  }

  async #draw(step: number, members: readonly number[]): Promise<Drawn[]> {
    const { examples, seed } = this.#options;
    const drawn: Drawn[] = [];
    for (const member of members) {
      const random = Random.from(seed, 'negatives', step, member);
      drawn.push({ member, random, ...(await examples.at(member, random)) });
    }
    return drawn;
  }

  async #make(drawn: readonly Drawn[], sources: readonly CountedSource[]): Promise<MadeBatch> {
    const { examples, pieces, rows, documentTokens = Number.POSITIVE_INFINITY } = this.#options;
    const members = drawn.map(({ member }) => member);
    const places = new DocumentPlaces();
    const positives: number[] = [];
    const known: number[][] = [];
    const provenance: Negative[][] = [];
    for (const { member, positive, negatives: own = [], random } of drawn) {
      positives.push(places.place(positive));
      known.push(own.map((negative) => places.place(negative)));
      const isTrainingQuery = member < (examples.trainingQueries ?? examples.count);
      provenance.push(
        isTrainingQuery ? sources.flatMap(({ source, count }) => source.sample(member, random, count)) : [],
      );
    }
    const negatives = provenance.map((sampled, i) => [
      ...sampled.map(({ document }) => places.place(document)),
      ...known[i],
    ]);
    const relevant = members.map((member) => places.among(examples.relevant(member)));
    const filling = rows?.frozen.includes('documents') ? [] : places.fill(LEAST_DOCUMENTS);
    const queries = await this.#side(
      'queries',
      drawn.map(({ query }) => query),
    );
    const documents = await this.#side('documents', places.texts);
    return {
      examples: members.length,
      members,
      queries: queries.texts,
      documents: documents.texts.map((text) => firstTokens(text, documentTokens)),
      documentNumbers: places.numbers,
      ...(pieces && documents.offsets && { pieceOffsets: documents.offsets }),
      ...((queries.rows || documents.rows) && { rows: { queries: queries.rows, documents: documents.rows } }),
      positives,
      negatives,
      known: relevant.map((found) => found.map(({ place }) => place)),
      grades: relevant.map((found, i) => {
        const grades = examples.grades(members[i]);
        return found.map(({ nth }) => grades[nth]);
      }),
      provenance,
      ...(filling.length > 0 && { masked: members.map(() => filling) }),
    };
  }

  /** The texts of a side: tokens to encode, or rows where the side does not learn. */
  async #side(
    side: Side,
    texts: readonly ExampleText[],
  ): Promise<{ texts: TokenizedText[]; offsets?: number[]; rows?: EncodedTexts }> {
    const { data, rows } = this.#options;
    if (!rows?.frozen.includes(side)) return tokensOf(data[side], texts);
    return { texts: [], rows: await rows.of(side, texts) };
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

  /** Adds the first document again until there are enough; gives the places of what was added. */
  fill(least: number): number[] {
    const added: number[] = [];
    while (this.texts.length < least) added.push(this.texts.push(this.texts[0]) - 1);
    return added;
  }

  /** Those of some documents that the batch has, and which of the list each one is. */
  among(documents: Int32Array): { place: number; nth: number }[] {
    return [...documents].flatMap((document, nth) => {
      const place = this.#placeOf.get(document);
      return place === undefined ? [] : { place, nth };
    });
  }
}

/** A text's beginning, with the special token that ends it. */
function firstTokens(text: TokenizedText, most: number): TokenizedText {
  if (text.ids.length <= most) return text;
  const tokens = Array.from(text.ids);
  return { ids: [...tokens.slice(0, most - 1), tokens[tokens.length - 1]] };
}
