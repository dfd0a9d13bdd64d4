import { createHash } from 'node:crypto';
import { rowsOf } from '../model/encoder/encoded-texts.js';
import { Encoder } from '../model/encoder/encoder.js';
import type { OnBatch } from '../model/encoder/text-rows.js';
import { loadSide, type Side } from '../model/folder/tower-folders.js';
import { weightsFingerprint } from '../model/folder/weights-fingerprint.js';
import { type EncodingSession, madeWith } from '../model/precision/precision.js';
import { indexScorer } from '../model/representation/kinds.js';
import { scorers } from '../model/scorer/kinds.js';
import type { Scorer } from '../model/scorer/scorer.js';
import type { TextPair } from '../text/tokenizer.js';

/** What cosines are divided by to be as far apart as the scores of those who learn. */
const COSINE_TEMPERATURE = 0.05;

const SIDES: readonly Side[] = ['queries', 'documents'];
const USES = { queries: 'query', documents: 'document' } as const;

/** A retriever that scores pairs of texts as it would rank them: by one vector of each, or by late interaction. */
export class EncoderPairs {
  /** Stands for everything that a score depends on besides the two texts. */
  readonly fingerprint: string;
  /** Numbers in a row. */
  readonly dimension: number;
  /** What {@link EncoderPairs.scorePairs} divides by: cosines lie close together, other scores are taken as they are. */
  readonly temperature: number;
  readonly #encoders: Readonly<Record<Side, Encoder>>;
  readonly #scorer: Scorer;

  private constructor(encoders: Record<Side, Encoder>) {
    const { spec } = encoders.queries.model;
    this.#encoders = encoders;
    this.#scorer = scorers.get(indexScorer(spec.head) ?? 'max').create({});
    this.dimension = encoders.queries.dimension;
    this.temperature = spec.head.normalize && !this.#scorer.addsUp ? COSINE_TEMPERATURE : 1;
    const hash = createHash('sha256');
    for (const { model, precision } of Object.values(encoders)) {
      const { parameters, maxLength, prompts, lowercase } = model;
      const read = JSON.stringify([model.spec.head, maxLength, prompts, lowercase]);
      hash.update(madeWith(`${weightsFingerprint(parameters)} ${read}`, precision));
    }
    this.fingerprint = hash.digest('hex');
  }

  /** @param folder of a model, or of two towers */
  static async open(folder: string, session?: EncodingSession): Promise<EncoderPairs> {
    const encoders: Partial<Record<Side, Encoder>> = {};
    for (const side of SIDES)
      encoders[side] = await Encoder.create(await loadSide(folder, side), { session });
    return new EncoderPairs(encoders as Record<Side, Encoder>);
  }

  /** Whether vectors have length 1. */
  get normalized(): boolean {
    return this.#encoders.documents.model.spec.head.normalize;
  }

  /** The rows of each text, one after another. */
  async rows(side: Side, texts: readonly string[], onBatch?: OnBatch): Promise<Float32Array[]> {
    const encoded = await this.#encoders[side].encode(texts, { use: USES[side], onBatch });
    return texts.map((_, text) => rowsOf(encoded, text).slice());
  }

  /** How a query's rows and a document's compare. */
  compare(query: Float32Array, document: Float32Array): number {
    return this.#scorer.score(query, document, this.dimension);
  }

  /** The score of each pair; every text is encoded once. */
  async scorePairs(
    pairs: readonly TextPair[],
    { onBatch }: { onBatch?: OnBatch } = {},
  ): Promise<Float32Array> {
    const [queries, documents] = await Promise.all(
      SIDES.map(async (side, place) => {
        const texts = [...new Set(pairs.map((pair) => pair[place]))];
        const rows = await this.rows(side, texts, onBatch);
        return new Map(texts.map((text, i) => [text, rows[i]]));
      }),
    );
    return Float32Array.from(
      pairs,
      ([query, document]) => this.compare(queries.get(query)!, documents.get(document)!) / this.temperature,
    );
  }

  async release(): Promise<void> {
    for (const encoder of Object.values(this.#encoders)) await encoder.release();
  }
}
