import type { TextPair } from '../text/tokenizer.js';
import { meanOfNormalized, type Normalization } from './normalize.js';
import { PairScorer } from './pair-scorer.js';
import type { TaughtBatch, TaughtTexts, Teacher, TeacherScores } from './teacher.js';

/** Opens one of its models. */
export const openScorer = PairScorer.open;

export interface CrossEncoderTeacherOptions {
  scorers: readonly PairScorer[];
  normalize: Normalization;
  texts: TaughtTexts;
  queryOf: (member: number) => number;
}

/** Trained cross-encoders, asked when a batch needs them; whoever was asked before is not asked again. */
export class CrossEncoderTeacher implements Teacher {
  readonly #scorers: readonly PairScorer[];
  readonly #normalize: Normalization;
  readonly #texts: TaughtTexts;
  readonly #queryOf: (member: number) => number;

  constructor({ scorers, normalize, texts, queryOf }: CrossEncoderTeacherOptions) {
    this.#scorers = scorers;
    this.#normalize = normalize;
    this.#texts = texts;
    this.#queryOf = queryOf;
  }

  async scores({ members, documents, wanted }: TaughtBatch): Promise<TeacherScores> {
    const scores = new Float32Array(members.length * documents.length);
    const known = new Float32Array(scores.length);
    const rows = members.map((_, row) =>
      [...documents.keys()].filter((column) => documents[column] >= 0 && wanted(row, column)),
    );
    const pairs = rows.flatMap((columns, row) => {
      const query = this.#texts.query(this.#queryOf(members[row]));
      return columns.map((column): TextPair => [query, this.#texts.document(documents[column])]);
    });
    const given: Float32Array[] = [];
    for (const scorer of this.#scorers) given.push(await scorer.score(pairs));
    let start = 0;
    rows.forEach((columns, row) => {
      const lists = given.map((all) => all.subarray(start, start + columns.length));
      const taught = meanOfNormalized(lists, this.#normalize);
      columns.forEach((column, i) => {
        scores[row * documents.length + column] = taught[i];
        known[row * documents.length + column] = 1;
      });
      start += columns.length;
    });
    return { scores, known };
  }

  /** @param pairs of one query: they are normalised together */
  async pairs(pairs: readonly TextPair[]): Promise<Float32Array> {
    const given: Float32Array[] = [];
    for (const scorer of this.#scorers) given.push(await scorer.score(pairs));
    return meanOfNormalized(given, this.#normalize);
  }

  async close(): Promise<void> {
    for (const scorer of this.#scorers) await scorer.close();
    await this.#texts.close();
  }
}
