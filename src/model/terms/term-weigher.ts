import { NearmissError } from '../../base/errors.js';
import type { Analyzer } from '../../text/analyzers/index.js';
import { PieceWords } from '../../text/piece-words.js';
import { rowsOf } from '../encoder/encoded-texts.js';
import { Encoder } from '../encoder/encoder.js';
import type { EncoderModel } from '../encoder/encoder-model.js';
import type { EncodingSession } from '../precision/precision.js';
import { greatestWeights, type TermReader } from './document-weights.js';

/** The head that weighs every word by itself: DeepCT's. */
export const WEIGHER_HEAD = { pooling: 'token-weights', relu: false, special: true } as const;

/** A model that says what words count for, compiled. */
export class TermWeigher {
  readonly encoder: Encoder;
  readonly reader: TermReader;

  private constructor(encoder: Encoder, reader: TermReader) {
    this.encoder = encoder;
    this.reader = reader;
  }

  static async create(
    model: EncoderModel,
    { analyzer, session }: { analyzer: Analyzer; session?: EncodingSession },
  ): Promise<TermWeigher> {
    requireWeigher(model);
    const { tokenizer } = model;
    const reader = {
      words: new PieceWords(tokenizer),
      analyzer,
      start: tokenizer.specialTokens.cls?.id,
    };
    return new TermWeigher(await Encoder.create(model, { session }), reader);
  }

  /** What the words of queries count for; a query none of whose words weighs anything counts them alike. */
  async weighQueries(queries: readonly string[]): Promise<Map<string, number>[]> {
    const encoded = await this.encoder.encode(queries, { use: 'query' });
    return queries.map((_, query) => {
      const rows = rowsOf(encoded, query);
      const weights = greatestWeights(rows, this.reader);
      if (weights.size > 0) return weights;
      const alike = rows.map((value, i) => (i % 2 === 0 ? value : 1));
      return greatestWeights(alike, this.reader);
    });
  }

  release(): Promise<void> {
    return this.encoder.release();
  }
}

/** Refuses a model that was not trained to weigh words. */
function requireWeigher({ name, spec }: Pick<EncoderModel, 'name' | 'spec'>): void {
  const { pooling, poolingOptions } = spec.head;
  const skipped = (poolingOptions as { skip?: number[] } | undefined)?.skip;
  if (pooling === WEIGHER_HEAD.pooling && skipped?.length === 0) return;
  throw new NearmissError(
    `${name}: expected a model that weighs words, got one with the pooling ${pooling}`,
    {
      hint: 'train one: nearmiss train --recipe deepct',
    },
  );
}
