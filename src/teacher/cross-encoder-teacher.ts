import type { TextPair } from '../text/tokenizer.js';
import type { PairScorers } from './pair-scorers.js';
import type { TaughtBatch, TaughtTexts, Teacher, TeacherScores } from './teacher.js';

export interface CrossEncoderTeacherOptions {
  scorers: PairScorers;
  texts: TaughtTexts;
  queryOf: (member: number) => number;
}

/** Trained cross-encoders, asked when a batch needs them; whoever was asked before is not asked again. */
export class CrossEncoderTeacher implements Teacher {
  readonly #scorers: PairScorers;
  readonly #texts: TaughtTexts;
  readonly #queryOf: (member: number) => number;

  constructor({ scorers, texts, queryOf }: CrossEncoderTeacherOptions) {
    this.#scorers = scorers;
    this.#texts = texts;
    this.#queryOf = queryOf;
  }

  async scores({ members, documents, wanted }: TaughtBatch): Promise<TeacherScores> {
    const scores = new Float32Array(members.length * documents.length);
    const known = new Float32Array(scores.length);
    const rows = members.map((_, row) =>
      [...documents.keys()].filter((column) => documents[column] >= 0 && wanted(row, column)),
    );
    const lists = rows.map((columns, row) => {
      const query = this.#texts.query(this.#queryOf(members[row]));
      return columns.map((column): TextPair => [query, this.#texts.document(documents[column])]);
    });
    const taught = await this.#scorers.scoreLists(lists);
    rows.forEach((columns, row) => {
      columns.forEach((column, i) => {
        scores[row * documents.length + column] = taught[row][i];
        known[row * documents.length + column] = 1;
      });
    });
    return { scores, known };
  }

  /** @param pairs of one query: they are normalised together */
  pairs(pairs: readonly TextPair[]): Promise<Float32Array> {
    return this.#scorers.score(pairs);
  }

  async close(): Promise<void> {
    await this.#scorers.close();
    await this.#texts.close();
  }
}
