import { Random } from '../engine/index.js';
import { loadSide, type Side } from '../model/folder/tower-folders.js';
import { Encoder } from '../model/index.js';
import { sampleDistinct } from '../negatives/sample-distinct.js';
import { principalDirections, reduceRows } from './principal-directions.js';
import type {
  TaughtBatch,
  TaughtTexts,
  TaughtVectors,
  Teacher,
  TeacherContext,
  TeacherScores,
} from './teacher.js';

/** Vectors that are kept in memory: those of most collections of a laptop, and a bound for others. */
const MEMORY_BYTES = 256 * 2 ** 20;
/** Documents whose vectors say which directions matter. */
const SAMPLE = 1024;

/** A retriever as teacher: texts are encoded when a batch has them for the first time. */
export class EncoderTeacher implements Teacher {
  readonly #texts: TaughtTexts;
  readonly #context: TeacherContext;
  readonly #temperature: number;
  readonly #sides: Record<Side, EncodedSide>;
  /** [own size, student's size]; none where the sizes fit as they are. */
  #directions: Float32Array | undefined;

  private constructor(
    texts: TaughtTexts,
    context: TeacherContext,
    temperature: number,
    sides: Record<Side, EncodedSide>,
  ) {
    this.#texts = texts;
    this.#context = context;
    this.#temperature = temperature;
    this.#sides = sides;
  }

  static async open(
    folder: string,
    { temperature, context }: { temperature: number; context: TeacherContext },
  ): Promise<EncoderTeacher> {
    const texts = await context.texts();
    const side = async (name: Side): Promise<EncodedSide> =>
      new EncodedSide(
        await Encoder.create(await loadSide(folder, name), { session: context.session }),
        name === 'queries' ? 'query' : 'document',
        name === 'queries' ? texts.query : texts.document,
      );
    const sides = { queries: await side('queries'), documents: await side('documents') };
    return new EncoderTeacher(texts, context, temperature, sides);
  }

  async scores({ members, documents, wanted }: TaughtBatch): Promise<TeacherScores> {
    const { size } = this.#sides.queries;
    const queries = await this.#sides.queries.of(members.map(this.#context.queryOf));
    const others = await this.#sides.documents.of(documents);
    const scores = new Float32Array(members.length * documents.length);
    const known = new Float32Array(scores.length);
    members.forEach((_, row) => {
      documents.forEach((document, column) => {
        if (document < 0 || !wanted(row, column)) return;
        let product = 0;
        for (let i = 0; i < size; i++) product += queries[row * size + i] * others[column * size + i];
        scores[row * documents.length + column] = product / this.#temperature;
        known[row * documents.length + column] = 1;
      });
    });
    return { scores, known };
  }

  async vectors({ members, documents }: Omit<TaughtBatch, 'wanted'>): Promise<TaughtVectors> {
    return {
      queries: await this.#fitted(await this.#sides.queries.of(members.map(this.#context.queryOf))),
      documents: await this.#fitted(await this.#sides.documents.of(documents)),
      known: Float32Array.from(documents, (document) => (document < 0 ? 0 : 1)),
    };
  }

  async close(): Promise<void> {
    for (const side of Object.values(this.#sides)) await side.release();
    await this.#texts.close();
  }

  /**
   * Rows of the student's size: longer ones along the directions that hold most of them, shorter ones with zeros behind,
   * which changes no inner product. Rows of length 1 are of length 1 afterwards.
   */
  async #fitted(rows: Float32Array): Promise<Float32Array> {
    const { size: own, normalized } = this.#sides.documents;
    const size = this.#context.size!;
    if (own === size) return rows;
    if (own > size) this.#directions ??= await this.#principal(own, size);
    return reduceRows(rows, { own, size, directions: this.#directions, normalize: normalized });
  }

  async #principal(own: number, size: number): Promise<Float32Array> {
    const { documentCount, seed } = this.#context;
    const random = Random.from(seed, 'principal directions');
    const sample = sampleDistinct(random, documentCount, Math.max(SAMPLE, size));
    return principalDirections(await this.#sides.documents.of(sample), { own, size, seed });
  }
}

/** Queries or documents and the vectors that were made of them. */
class EncodedSide {
  readonly size: number;
  readonly normalized: boolean;
  readonly #encoder: Encoder;
  readonly #use: string;
  readonly #text: (number: number) => string;
  readonly #known = new Map<number, Float32Array>();

  constructor(encoder: Encoder, use: string, text: (number: number) => string) {
    this.#encoder = encoder;
    this.size = encoder.dimension;
    this.normalized = encoder.model.spec.head.normalize;
    this.#use = use;
    this.#text = text;
  }

  /** Rows one after another; 0 for numbers below 0. */
  async of(numbers: readonly number[]): Promise<Float32Array> {
    const rows = new Float32Array(numbers.length * this.size);
    const places = new Map<number, number[]>();
    numbers.forEach((number, place) => {
      const row = this.#known.get(number);
      if (row) rows.set(row, place * this.size);
      else if (number >= 0) places.set(number, [...(places.get(number) ?? []), place]);
    });
    const missing = [...places.keys()];
    if (missing.length === 0) return rows;
    const { vectors } = await this.#encoder.encode(missing.map(this.#text), { use: this.#use });
    missing.forEach((number, i) => {
      const row = vectors.slice(i * this.size, (i + 1) * this.size);
      for (const place of places.get(number)!) rows.set(row, place * this.size);
      if (this.#known.size * this.size * row.BYTES_PER_ELEMENT < MEMORY_BYTES) this.#known.set(number, row);
    });
    return rows;
  }

  release(): Promise<void> {
    return this.#encoder.release();
  }
}
