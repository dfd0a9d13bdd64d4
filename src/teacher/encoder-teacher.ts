import { NearmissError } from '../base/errors.js';
import { Random } from '../engine/index.js';
import { principalDirections, reduceRows } from '../index/clusters/principal-directions.js';
import type { Side } from '../model/side.js';
import { sampleDistinct } from '../negatives/sample-distinct.js';
import type { TextPair } from '../text/tokenizer.js';
import { EncoderPairs } from './encoder-pairs.js';
import type {
  TaughtBatch,
  TaughtTexts,
  TaughtVectors,
  Teacher,
  TeacherContext,
  TeacherScores,
} from './teacher.js';

/** Rows that are kept in memory: those of most collections of a laptop, and a bound for others. */
const MEMORY_BYTES = 256 * 2 ** 20;
/** Documents whose vectors say which directions matter. */
const SAMPLE = 1024;

export interface EncoderTeacherOptions {
  /** What scores are divided by. Default: what suits the retriever. */
  temperature?: number;
  context: TeacherContext;
}

/** A retriever as teacher: texts are encoded when a batch has them for the first time. */
export class EncoderTeacher implements Teacher {
  readonly #texts: TaughtTexts;
  readonly #context: TeacherContext;
  readonly #temperature: number;
  readonly #retriever: EncoderPairs;
  readonly #sides: Record<Side, RememberedRows>;
  /** [own size, student's size]; none where the sizes fit as they are. */
  #directions: Float32Array | undefined;

  private constructor(
    retriever: EncoderPairs,
    texts: TaughtTexts,
    { temperature, context }: EncoderTeacherOptions,
  ) {
    this.#texts = texts;
    this.#context = context;
    this.#temperature = temperature ?? retriever.temperature;
    this.#retriever = retriever;
    this.#sides = {
      queries: new RememberedRows((numbers) => retriever.rows('queries', numbers.map(texts.query))),
      documents: new RememberedRows((numbers) => retriever.rows('documents', numbers.map(texts.document))),
    };
  }

  static async open(folder: string, options: EncoderTeacherOptions): Promise<EncoderTeacher> {
    const retriever = await EncoderPairs.open(folder, options.context.session);
    return new EncoderTeacher(retriever, await options.context.texts(), options);
  }

  async scores({ members, documents, wanted }: TaughtBatch): Promise<TeacherScores> {
    const queries = await this.#sides.queries.of(members.map(this.#context.queryOf));
    const others = await this.#sides.documents.of(documents);
    const scores = new Float32Array(members.length * documents.length);
    const known = new Float32Array(scores.length);
    queries.forEach((query, row) => {
      others.forEach((document, column) => {
        if (!query || !document || !wanted(row, column)) return;
        const score = this.#retriever.compare(query, document);
        scores[row * documents.length + column] = score / this.#temperature;
        known[row * documents.length + column] = 1;
      });
    });
    return { scores, known };
  }

  pairs(ofOneQuery: readonly TextPair[]): Promise<Float32Array> {
    return this.#retriever.scorePairs(ofOneQuery);
  }

  async vectors({ members, documents }: Omit<TaughtBatch, 'wanted'>): Promise<TaughtVectors> {
    return {
      queries: await this.#vectors('queries', members.map(this.#context.queryOf)),
      documents: await this.#vectors('documents', documents),
      known: Float32Array.from(documents, (document) => (document < 0 ? 0 : 1)),
    };
  }

  async close(): Promise<void> {
    await this.#retriever.release();
    await this.#texts.close();
  }

  /**
   * Vectors of the student's size: longer ones along the directions that hold most of them, shorter ones with zeros behind,
   * which changes no inner product. Those of length 1 are of length 1 afterwards.
   */
  async #vectors(side: Side, numbers: readonly number[]): Promise<Float32Array> {
    const rows = await this.#flat(side, numbers);
    const { dimension: own, normalized: normalize } = this.#retriever;
    const size = this.#context.size!;
    if (own === size) return rows;
    if (own > size) this.#directions ??= await this.#principal(own, size);
    return reduceRows(rows, { own, size, directions: this.#directions, normalize });
  }

  async #principal(own: number, size: number): Promise<Float32Array> {
    const { documentCount, seed } = this.#context;
    const random = Random.from(seed, 'principal directions');
    const sample = sampleDistinct(random, documentCount, Math.max(SAMPLE, size));
    return principalDirections(await this.#flat('documents', sample), { own, size, seed });
  }

  /** One vector of each text, one after another; 0 for numbers below 0. */
  async #flat(side: Side, numbers: readonly number[]): Promise<Float32Array> {
    const { dimension } = this.#retriever;
    const flat = new Float32Array(numbers.length * dimension);
    for (const [place, row] of (await this.#sides[side].of(numbers)).entries()) {
      if (!row) continue;
      if (row.length !== dimension) {
        throw new NearmissError('the teacher makes several rows of a text, expected one vector of each', {
          hint: 'learn its scores (loss: kl or margin-mse), or name a teacher with one vector a text',
        });
      }
      flat.set(row, place * dimension);
    }
    return flat;
  }
}

/** Queries or documents by number, and the rows that were made of them. */
class RememberedRows {
  readonly #encode: (numbers: readonly number[]) => Promise<Float32Array[]>;
  readonly #known = new Map<number, Float32Array>();
  #bytes = 0;

  constructor(encode: (numbers: readonly number[]) => Promise<Float32Array[]>) {
    this.#encode = encode;
  }

  /** The rows of each text; none for numbers below 0. */
  async of(numbers: readonly number[]): Promise<(Float32Array | undefined)[]> {
    const missing = [...new Set(numbers)].filter((number) => number >= 0 && !this.#known.has(number));
    const encoded = missing.length > 0 ? await this.#encode(missing) : [];
    const made = new Map(missing.map((number, i) => [number, encoded[i]]));
    const rows = numbers.map((number) => this.#known.get(number) ?? made.get(number));
    for (const [number, row] of made) {
      if (this.#bytes + row.byteLength > MEMORY_BYTES) break;
      this.#bytes += row.byteLength;
      this.#known.set(number, row);
    }
    return rows;
  }
}
