import { createHash } from 'node:crypto';
import { rowsOf } from '../model/encoder/encoded-texts.js';
import { Encoder } from '../model/encoder/encoder.js';
import { embeddingSize } from '../model/encoder/encoder-graph.js';
import type { EncoderModel } from '../model/encoder/encoder-model.js';
import type { OnBatch } from '../model/encoder/text-rows.js';
import { loadSide } from '../model/folder/tower-folders.js';
import { weightsFingerprint } from '../model/folder/weights-fingerprint.js';
import { type EncodingSession, madeWith } from '../model/precision/precision.js';
import { indexScorer } from '../model/representation/kinds.js';
import { scorers } from '../model/scorer/kinds.js';
import type { Scorer } from '../model/scorer/scorer.js';
import { SIDES, type Side } from '../model/side.js';
import type { TextPair } from '../text/tokenizer.js';
import { Later } from './later.js';

/** What cosines are divided by to be as far apart as the scores of those who learn. */
const COSINE_TEMPERATURE = 0.05;

const USES = { queries: 'query', documents: 'document' } as const;

/** A retriever that scores pairs of texts as it would rank them: by one vector of each, or by late interaction. */
export class EncoderPairs {
  /** Numbers in a row. */
  readonly dimension: number;
  /** Whether rows have length 1. */
  readonly normalized: boolean;
  /** What {@link EncoderPairs.scorePairs} divides by: cosines lie close together, other scores are taken as they are. */
  readonly temperature: number;
  readonly #models: Readonly<Record<Side, EncoderModel>>;
  readonly #encoders: Readonly<Record<Side, Later<Encoder>>>;
  readonly #session: EncodingSession;
  readonly #scorer: Scorer;

  private constructor(models: Record<Side, EncoderModel>, session: EncodingSession) {
    const { spec } = models.queries;
    const later = (side: Side): Later<Encoder> => new Later(() => Encoder.create(models[side], { session }));
    this.#models = models;
    this.#encoders = { queries: later('queries'), documents: later('documents') };
    this.#session = session;
    this.#scorer = scorers.get(indexScorer(spec.head) ?? 'max').create({});
    this.dimension = embeddingSize(spec);
    this.normalized = spec.head.normalize;
    this.temperature = this.normalized && !this.#scorer.addsUp ? COSINE_TEMPERATURE : 1;
  }

  /** @param folder of a model, or of two towers */
  static async open(folder: string, session: EncodingSession = {}): Promise<EncoderPairs> {
    const queries = await loadSide(folder, 'queries');
    return new EncoderPairs({ queries, documents: await loadSide(folder, 'documents') }, session);
  }

  /** Stands for everything that a score depends on besides the two texts. */
  async fingerprint(): Promise<string> {
    const hash = createHash('sha256');
    const { precision: asked = 'fp32' } = this.#session;
    for (const side of SIDES) {
      const { parameters, spec, maxLength, prompts, lowercase } = this.#models[side];
      const read = JSON.stringify([spec.head, maxLength, prompts, lowercase]);
      const precision = asked === 'auto' ? (await this.#encoders[side].get()).precision : asked;
      hash.update(madeWith(`${weightsFingerprint(parameters)} ${read}`, precision));
    }
    return hash.digest('hex');
  }

  /** The rows of each text, one after another. */
  async rows(side: Side, texts: readonly string[], onBatch?: OnBatch): Promise<Float32Array[]> {
    const encoder = await this.#encoders[side].get();
    const encoded = await encoder.encode(texts, { use: USES[side], onBatch });
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
