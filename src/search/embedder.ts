import { type EncodedTexts, rowsOf } from '../model/encoder/encoded-texts.js';
import { Encoder } from '../model/encoder/encoder.js';
import { isTwoTowers, loadSide } from '../model/folder/tower-folders.js';
import type { EncodingSession, UsedPrecision } from '../model/precision/precision.js';
import { comparesTokens, indexScorer, isSided, makesTerms } from '../model/representation/kinds.js';
import type { SplitTokensOptions } from '../text/split-tokens.js';
import { embedderFingerprint } from './embedder-fingerprint.js';
import type { Explainer, Explanation } from './explain/explanation.js';
import { termMatches } from './explain/term-matches.js';
import { termWeights } from './explain/term-weights.js';
import { tokenMatches } from './explain/token-matches.js';

/** Which side of a model reads a text. */
export type TextUse = 'query' | 'document';

/** What is known of a model without its weights. */
export interface EmbedderInfo {
  name: string;
  dimension: number;
  /** Tells it from models that make other vectors; of most it is the SHA-256 of their weights. */
  fingerprint: string;
  /** Tokens read of a text. */
  maxLength: number;
  /** In which numbers it multiplies. */
  precision: UsedPrecision;
  /** The scorer that compares its rows, where it is not the best inner product. */
  scorer?: string;
  /** Whether its rows are tokens or terms of queries and documents, so that it can tell which matched. */
  explains?: boolean;
}

export interface EmbedOptions {
  /** Reads each text in pieces (MaxP); left out, as a whole. */
  split?: SplitTokensOptions;
  /** Stops between batches. */
  signal?: AbortSignal;
}

/** Turns texts into rows of numbers. */
export interface Embedder extends Explainer {
  readonly info: EmbedderInfo;
  encode(texts: readonly string[], use: TextUse, options?: EmbedOptions): Promise<EncodedTexts>;
  close(): Promise<void>;
}

/** A model in this thread, which is blocked while it computes. */
export class LocalEmbedder implements Embedder {
  readonly info: EmbedderInfo;
  readonly #path: string;
  readonly #session: EncodingSession | undefined;
  readonly #encoders: Record<TextUse, Promise<Encoder> | undefined>;
  readonly explain: Embedder['explain'];

  private constructor(
    path: string,
    session: EncodingSession | undefined,
    info: EmbedderInfo,
    encoder: Encoder,
  ) {
    this.info = info;
    this.#path = path;
    this.#session = session;
    this.#encoders = { query: Promise.resolve(encoder), document: undefined };
    if (info.explains) this.explain = (query, texts) => this.#explain(query, texts);
  }

  /** @param path `minilm`, a folder (of a model, of two towers), or a hub id */
  static async open(path: string, session?: EncodingSession): Promise<LocalEmbedder> {
    const model = await loadSide(path, 'queries');
    const encoder = await Encoder.create(model, { session });
    const { name, maxLength, spec } = model;
    const fingerprint = await embedderFingerprint(path, model);
    const scorer = indexScorer(spec.head);
    const info = {
      name,
      dimension: encoder.dimension,
      fingerprint,
      maxLength,
      precision: encoder.precision,
      ...(scorer && { scorer }),
      ...((comparesTokens(spec.head) || makesTerms(spec.head)) && { explains: true }),
    };
    return new LocalEmbedder(path, session, info, encoder);
  }

  async encode(texts: readonly string[], use: TextUse, { split }: EmbedOptions = {}): Promise<EncodedTexts> {
    const encoder = await this.#encoder(use);
    return encoder.encode(texts, { use, split });
  }

  async close(): Promise<void> {
    const encoders = new Set(await Promise.all(Object.values(this.#encoders)));
    for (const encoder of encoders) await encoder?.release();
  }

  async #explain(query: string, texts: readonly string[]): Promise<Explanation[]> {
    const [queries, documents] = [await this.#encoder('query'), await this.#encoder('document')];
    const { vectors: rows } = await queries.encode([query], { use: 'query' });
    const [read] = await queries.readTokens([query], 'query');
    const asked = { rows, read };
    const found = {
      rows: await documents.encode(texts, { use: 'document' }),
      read: await documents.readTokens(texts, 'document'),
    };
    if (makesTerms(documents.model.spec.head)) {
      const { tokenizer } = documents.model;
      const nameOf = (term: number): string => tokenizer.token(term) ?? '';
      return termMatches(asked, found, nameOf).map((terms, i) => ({
        terms,
        weights: termWeights(rowsOf(found.rows, i), found.read[i].tokens, tokenizer),
      }));
    }
    return tokenMatches(asked, found, this.info.dimension).map((matches) => ({ matches }));
  }

  #encoder(use: TextUse): Promise<Encoder> {
    this.#encoders[use] ??= this.#openDocumentSide();
    return this.#encoders[use];
  }

  async #openDocumentSide(): Promise<Encoder> {
    const encoder = await this.#encoders.query!;
    if (!(await isTwoTowers(this.#path)) && !isSided(encoder.model.spec.head)) return encoder;
    return Encoder.create(await loadSide(this.#path, 'documents'), { session: this.#session });
  }
}
