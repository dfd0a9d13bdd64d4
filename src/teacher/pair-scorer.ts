import { createHash } from 'node:crypto';
import { NearmissError } from '../base/errors.js';
import type { FleetPlace } from '../fleet/index.js';
import { CrossEncoder } from '../model/cross-encoder/cross-encoder.js';
import { loadCrossEncoder } from '../model/cross-encoder/cross-encoder-model.js';
import { isCrossEncoder } from '../model/cross-encoder/cross-encoder-names.js';
import { weightsFingerprint } from '../model/folder/weights-fingerprint.js';
import { type EncodingSession, madeWith } from '../model/precision/precision.js';
import type { TextPair } from '../text/tokenizer.js';
import { EncoderPairs } from './encoder-pairs.js';
import { Later } from './later.js';
import { ScoreCache } from './score-cache.js';

/** Pairs that are scored together and then kept: what a kill loses at most. */
const CHUNK = 1024;

/** How far a scorer is. */
export interface ScoringProgress {
  /** Pairs that are done, those that were known included. */
  pairs: number;
  /** Those of them that were not known, and the tokens that were read for them. */
  computed: number;
  tokens: number;
}

export interface OpenPairScorerOptions {
  session?: EncodingSession;
  /** Where scores are kept. Default: `scores` in the user's cache. */
  cache?: string;
  /** Scores on the workers of a queue. */
  fleet?: FleetPlace;
}

/** A model that scores pairs of texts. */
export interface PairModel extends Pick<CrossEncoder, 'scorePairs' | 'release'> {
  /** Stands for everything that a score depends on besides the two texts. */
  readonly fingerprint: string;
  /** Whether scores are logits of being relevant, and not only higher for what is better. */
  readonly givesLogits: boolean;
}

/** A cross-encoder, or a retriever with exact scores, that remembers, on disk, every pair it has ever scored. */
export class PairScorer {
  readonly #model: PairModel;
  readonly #cache: ScoreCache;

  private constructor(model: PairModel, cache: ScoreCache) {
    this.#model = model;
    this.#cache = cache;
  }

  /** @param folder a cross-encoder's, or a retriever's: one vector a text, or late interaction */
  static async open(
    folder: string,
    { session, cache, fleet }: OpenPairScorerOptions = {},
  ): Promise<PairScorer> {
    const own = await openPairModel(folder, session);
    const model = fleet ? await openFleetPairs(folder, own, { ...fleet, session }) : own;
    return new PairScorer(model, await ScoreCache.open(model.fingerprint, cache));
  }

  get fingerprint(): string {
    return this.#model.fingerprint;
  }

  get givesLogits(): boolean {
    return this.#model.givesLogits;
  }

  /**
   * The score of each pair. Pairs are taken in chunks whose bounds depend on nothing but their order: whoever goes on after
   * a kill gets the same bits.
   */
  async score(
    pairs: readonly TextPair[],
    onChunk?: (progress: ScoringProgress) => void | Promise<void>,
  ): Promise<Float32Array> {
    const scores = new Float32Array(pairs.length);
    for (let start = 0; start < pairs.length; start += CHUNK) {
      const part = pairs.slice(start, start + CHUNK);
      const learned = await this.#learn(part);
      part.forEach(([query, document], i) => {
        scores[start + i] = this.#cache.get(query, document)!;
      });
      await onChunk?.({ pairs: part.length, ...learned });
    }
    return scores;
  }

  close(): Promise<void> {
    return this.#model.release();
  }

  /** Scores the pairs that are not known. */
  async #learn(pairs: readonly TextPair[]): Promise<{ computed: number; tokens: number }> {
    const unknown = pairs.filter(([query, document]) => this.#cache.get(query, document) === undefined);
    if (unknown.length === 0) return { computed: 0, tokens: 0 };
    let tokens = 0;
    const scores = await this.#model.scorePairs(unknown, {
      onBatch: (done) => {
        tokens += done.tokens;
      },
    });
    unknown.forEach(([query, document], i) => {
      if (!Number.isFinite(scores[i])) {
        throw new NearmissError(`the teacher's score of a pair is ${scores[i]}, expected a finite number`, {
          hint: `its weights are damaged, or overflow on this text: query ${JSON.stringify(query.slice(0, 80))}, document ${JSON.stringify(document.slice(0, 80))}`,
        });
      }
      this.#cache.set(query, document, scores[i]);
    });
    await this.#cache.flush();
    return { computed: unknown.length, tokens };
  }
}

/** Opens a cross-encoder, or a retriever. */
export async function openPairModel(folder: string, session?: EncodingSession): Promise<PairModel> {
  return (await isCrossEncoder(folder)) ? openCrossEncoder(folder, session) : openRetriever(folder, session);
}

async function openFleetPairs(
  folder: string,
  model: PairModel,
  place: FleetPlace & { session?: EncodingSession },
): Promise<PairModel> {
  // Loaded only to know what scores depend on.
  await model.release();
  const { FleetPairs } = await import('./fleet-pairs.js');
  return FleetPairs.open(folder, model, place);
}

async function openCrossEncoder(folder: string, session: EncodingSession = {}): Promise<PairModel> {
  const model = await loadCrossEncoder(folder);
  const encoder = new Later(() => CrossEncoder.create(model, { session }));
  const { precision: asked = 'fp32' } = session;
  const precision = asked === 'auto' ? (await encoder.get()).precision : asked;
  const weights = `${weightsFingerprint(model.parameters)} ${model.maxLength}`;
  return {
    fingerprint: createHash('sha256').update(madeWith(weights, precision)).digest('hex'),
    givesLogits: true,
    scorePairs: async (pairs, options) => (await encoder.get()).scorePairs(pairs, options),
    release: () => encoder.release(),
  };
}

async function openRetriever(folder: string, session?: EncodingSession): Promise<PairModel> {
  const retriever = await EncoderPairs.open(folder, session);
  return {
    fingerprint: await retriever.fingerprint(),
    givesLogits: false,
    scorePairs: (pairs, options) => retriever.scorePairs(pairs, options),
    release: () => retriever.release(),
  };
}
