import { Random } from '../../engine/index.js';
import type { Negative, NegativeSource } from '../../negatives/index.js';
import type { PlannedStage } from '../../run/plan.js';
import type { TrainingData } from '../../run/training-data.js';
import type { TrainingBatch } from './batch.js';

/** A source of negatives and how many of it each query gets. */
export interface CountedSource {
  source: NegativeSource;
  count: number;
}

export interface BatchMakerOptions {
  data: TrainingData;
  stage: PlannedStage;
  seed: number;
  /** Documents come in pieces (MaxP). */
  pieces: boolean;
}

/** A batch and where its negatives came from. */
export interface MadeBatch extends TrainingBatch {
  /** For each query its number among the training queries. */
  trainingQueries: number[];
  provenance: Negative[][];
}

/**
 * Makes the batch of any step: a pure function of seed, step and the negatives' version, so that resuming needs
 * nothing but the step. Queries come in a new random order in each epoch.
 */
export class BatchMaker {
  readonly #options: BatchMakerOptions;
  #epoch = -1;
  #order = new Int32Array();

  constructor(options: BatchMakerOptions) {
    this.#options = options;
  }

  /** The batches whose gradients make up a step. */
  async at(step: number, sources: readonly CountedSource[]): Promise<MadeBatch[]> {
    const { stage } = this.#options;
    const { queries, accumulate } = stage.batch;
    const batches: MadeBatch[] = [];
    for (let part = 0; part < accumulate; part++) {
      const first = ((step - stage.start) * accumulate + part) * queries;
      const members = Array.from({ length: queries }, (_, i) => this.#example(first + i));
      batches.push(await this.#make(step, [...new Set(members)], sources));
    }
    return batches;
  }

  /** The training query at a place of the endless sequence of shuffled epochs. */
  #example(place: number): number {
    const { data, seed, stage } = this.#options;
    const count = data.training.length;
    const epoch = Math.floor(place / count);
    if (epoch !== this.#epoch) {
      this.#epoch = epoch;
      const order = Int32Array.from({ length: count }, (_, i) => i);
      this.#order = Random.from(seed, 'order', stage.index, epoch).shuffle(order);
    }
    return this.#order[place % count];
  }

  async #make(step: number, members: number[], sources: readonly CountedSource[]): Promise<MadeBatch> {
    const { data, seed, pieces } = this.#options;
    const documents = new Map<number, number>();
    const place = (document: number): number => {
      const known = documents.get(document);
      if (known !== undefined) return known;
      documents.set(document, documents.size);
      return documents.size - 1;
    };
    const positives: number[] = [];
    const provenance: Negative[][] = [];
    for (const member of members) {
      const random = Random.from(seed, 'negatives', step, member);
      const relevant = data.training[member].positives;
      positives.push(place(relevant[random.integer(relevant.length)]));
      provenance.push(sources.flatMap(({ source, count }) => source.sample(member, random, count)));
    }
    const negatives = provenance.map((drawn) => drawn.map(({ document }) => place(document)));
    const known = members.map((member) =>
      [...data.training[member].positives].flatMap((document) => documents.get(document) ?? []),
    );
    const queries = await data.queries.texts(members.map((member) => data.training[member].query));
    const { texts, offsets } = await data.documents.texts([...documents.keys()]);
    return {
      trainingQueries: members,
      queries: queries.texts,
      documents: texts,
      ...(pieces && { pieceOffsets: offsets }),
      positives,
      negatives,
      known,
      provenance,
    };
  }
}
