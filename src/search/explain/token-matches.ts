import { type EncodedTexts, rowsOf } from '../../model/encoder/encoded-texts.js';

/** Which of a document's tokens each of a query's chose: its best. */
export interface TokenMatches {
  /** The document's tokens as the model read them. */
  document: string[];
  /** The query's tokens that were compared, in their order. */
  query: {
    token: string;
    /** The place of the document's token that fits best. */
    chose: number;
    /** Their product: what the query's token gave to the score. */
    score: number;
  }[];
}

/** The tokens of a text that a model has read, and which of them its rows are. */
export interface ReadTokens {
  tokens: string[];
  /** The place of the token of each row. */
  rows: number[];
}

/** What a query's rows choose among those of each document. Of equal ones the first, as in the score. */
export function tokenMatches(
  query: { rows: Float32Array; read: ReadTokens },
  documents: { rows: EncodedTexts; read: readonly ReadTokens[] },
  dimension: number,
): TokenMatches[] {
  return documents.read.map(({ tokens, rows: places }, document) => {
    const rows = rowsOf(documents.rows, document);
    return {
      document: tokens,
      query: query.read.rows.map((place, i) => {
        let [chosen, score] = [0, Number.NEGATIVE_INFINITY];
        for (let j = 0; j < places.length; j++) {
          let product = 0;
          for (let n = 0; n < dimension; n++)
            product += query.rows[i * dimension + n] * rows[j * dimension + n];
          if (product > score) [chosen, score] = [j, product];
        }
        return { token: query.read.tokens[place], chose: places[chosen], score };
      }),
    };
  });
}
