/// <reference lib="es2024.string" />
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Tokenizer as NativeTokenizer } from 'tokenizers';
import { describe, NearmissError } from '../base/errors.js';
import { writeFileAtomic } from '../base/files.js';
import { FirstTokens } from './first-tokens.js';
import { findSpecialTokens, type SpecialTokens } from './special-tokens.js';
import { joinPair, probeTemplates, specialCount, type Templates } from './template.js';
import { type PairBatch, type TokenBatch, TokenBatchBuilder } from './token-batch.js';
import { declaredMaxLength, tokenizerConfig } from './tokenizer-config.js';
import {
  parseTokenizerJson,
  readTokenizerFiles,
  type TokenizerFiles,
  type TokenizerJson,
} from './tokenizer-files.js';
import { numberWords, type WordTokens } from './word-tokens.js';

export interface EncodeOptions {
  /** Tokens kept of each text, special tokens included; everything is kept when left out. */
  maxLength?: number;
}

/** Two texts that a cross-encoder reads together, e.g. query and document. */
export type TextPair = readonly [first: string, second: string];

/**
 * Turns texts into token ids: WordPiece, BPE or Unigram, whatever a Hugging Face `tokenizer.json` describes.
 * Same text, same tokens as in Python. Lone surrogates, which no UTF-8 can carry, are read as U+FFFD.
 *
 * @example
 * const tokenizer = await Tokenizer.load('models/minilm');
 * const { ids, offsets } = await tokenizer.encodeBatch(['near', 'a near miss'], { maxLength: 128 });
 */
export class Tokenizer {
  /** How many ids there are, holes included: the rows that an embedding table needs. */
  readonly vocabularySize: number;
  readonly specialTokens: SpecialTokens;
  /** The longest input the model takes, where its files say so. */
  readonly maxLength: number | undefined;
  /** SHA-256 of `tokenizer.json`: equal fingerprints give equal tokens. */
  readonly fingerprint: string;
  readonly #native: NativeTokenizer;
  readonly #files: TokenizerFiles;
  readonly #templates: Templates;
  readonly #firstTokens: FirstTokens;

  private constructor(native: NativeTokenizer, files: TokenizerFiles, templates: Templates) {
    this.#native = native;
    this.#files = files;
    this.#templates = templates;
    this.#firstTokens = new FirstTokens(native, files.parsed);
    this.vocabularySize = largestId(files.parsed) + 1;
    this.specialTokens = findSpecialTokens(files, (token) => native.tokenToId(token));
    this.maxLength = declaredMaxLength(files);
    this.fingerprint = createHash('sha256').update(files.json).digest('hex');
  }

  /** Loads a `tokenizer.json`, given itself or the model folder that holds it. */
  static async load(path: string): Promise<Tokenizer> {
    return Tokenizer.#create(await readTokenizerFiles(path));
  }

  /** Makes a tokenizer from the text of a `tokenizer.json`; `origin` names it in errors. */
  static async fromJson(json: string, origin = 'tokenizer.json'): Promise<Tokenizer> {
    return Tokenizer.#create({ origin, json, parsed: parseTokenizerJson(json, origin) });
  }

  static async #create(files: TokenizerFiles): Promise<Tokenizer> {
    const native = createNative(files);
    // Many files switch these on (all-MiniLM-L6-v2 pads everything to 128).
    native.disablePadding();
    native.disableTruncation();
    const probe = files.parsed.added_tokens[0]?.content ?? 'a';
    return new Tokenizer(native, files, await probeTemplates(native, probe));
  }

  /** How many special tokens surround one text: 2 for `[CLS] … [SEP]`. */
  get specialCount(): number {
    return specialCount(this.#templates.single);
  }

  /** The id to fill up a batch with; it is masked, so any id does where the tokenizer names none. */
  get padId(): number {
    return this.specialTokens.pad?.id ?? 0;
  }

  /** Encodes texts with their special tokens, cut to `maxLength` (the final special tokens stay), unpadded. */
  async encodeBatch(texts: readonly string[], options: EncodeOptions = {}): Promise<TokenBatch> {
    const { before, after } = this.#templates.single;
    const room = roomFor(options.maxLength, specialCount(this.#templates.single));
    const builder = new TokenBatchBuilder();
    const name = (index: number): string => `text ${index}`;
    await this.#encodeBare(texts, { room, name }, (ids) => {
      builder.add(before.ids);
      builder.add(ids, 0, Math.min(ids.length, room));
      builder.add(after.ids);
      builder.endText();
    });
    return builder.build();
  }

  /** Encodes texts as {@link Tokenizer.encodeBatch} does, and tells which tokens are one word. */
  async encodeWords(texts: readonly string[], options: EncodeOptions = {}): Promise<WordTokens[]> {
    const { before, after } = this.#templates.single;
    const room = roomFor(options.maxLength, specialCount(this.#templates.single));
    const read = texts.map((text, i) => wellFormed(text, () => `text ${i}`));
    const encodings = await this.#native.encodeBatch(read, { addSpecialTokens: false });
    return encodings.map((encoding, i) => {
      const ids = encoding.getIds().slice(0, room);
      const starts = encoding
        .getOffsets()
        .slice(0, room)
        .map(([start]) => start);
      const special = (tokens: ArrayLike<number>): number[] => Array.from(tokens, () => -1);
      return {
        ids: Int32Array.from([...before.ids, ...ids, ...after.ids]),
        words: Int32Array.from([
          ...special(before.ids),
          ...numberWords(read[i], starts),
          ...special(after.ids),
        ]),
      };
    });
  }

  /** Encodes pairs for a cross-encoder; of a pair that is too long, the longer text is cut first. */
  async encodePairs(pairs: readonly TextPair[], options: EncodeOptions = {}): Promise<PairBatch> {
    const template = this.#templates.pair;
    const room = roomFor(options.maxLength, specialCount(template));
    const tokens = new TokenBatchBuilder();
    const types = new TokenBatchBuilder();
    let first: number[] | undefined;
    const name = (index: number): string => `pair ${index >> 1}, ${index % 2 ? 'second' : 'first'} text`;
    await this.#encodeBare(pairs.flat(), { room, name }, (ids) => {
      // What is longer than all the room counts as just that long: how much longer has not been read.
      const readable = ids.length > room ? ids.slice(0, room) : ids;
      if (first === undefined) {
        first = readable;
        return;
      }
      const pair = joinPair(template, { first, second: readable }, room);
      tokens.add(pair.ids);
      tokens.endText();
      types.add(pair.typeIds);
      first = undefined;
    });
    return { ...tokens.build(), typeIds: Uint8Array.from(types.build().ids) };
  }

  /**
   * Joins two texts that {@link Tokenizer.encodeBatch} encoded as {@link Tokenizer.encodePairs} would have, without
   * tokenising again.
   */
  joinPair(
    first: ArrayLike<number>,
    second: ArrayLike<number>,
    options: EncodeOptions = {},
  ): { ids: Int32Array; typeIds: Uint8Array } {
    const { before, after } = this.#templates.single;
    const bare = (ids: ArrayLike<number>): Int32Array =>
      Int32Array.from(ids).subarray(before.ids.length, ids.length - after.ids.length);
    const room = roomFor(options.maxLength, specialCount(this.#templates.pair));
    return joinPair(this.#templates.pair, { first: bare(first), second: bare(second) }, room);
  }

  /** Whether another tokenizer makes the same tokens of any text; padding and truncation, which are not read, may differ. */
  readsLike(other: Tokenizer): boolean {
    if (this.fingerprint === other.fingerprint) return true;
    const read = ({ padding: _, truncation: __, ...rest }: TokenizerJson): object => rest;
    return isDeepStrictEqual(read(this.#files.parsed), read(other.#files.parsed));
  }

  /** The text that tokens stand for, as far as the tokenizer kept it. */
  async decode(ids: ArrayLike<number>, options: { keepSpecialTokens?: boolean } = {}): Promise<string> {
    return this.#native.decode(Array.from(ids), !options.keepSpecialTokens);
  }

  /** The token of an id, e.g. `##ing`. */
  token(id: number): string | undefined {
    return this.#native.idToToken(id) ?? undefined;
  }

  /** The id of a token. */
  id(token: string): number | undefined {
    return this.#native.tokenToId(token) ?? undefined;
  }

  /**
   * Writes `tokenizer.json` (byte for byte as it was loaded) and `tokenizer_config.json` into a model folder,
   * so that Transformers and Transformers.js load it. `maxLength` is the longest input the model takes.
   */
  async save(folder: string, options: { maxLength?: number } = {}): Promise<void> {
    const { json, specialTokensMap } = this.#files;
    const config = tokenizerConfig(this.#files, this.specialTokens, options.maxLength);
    await writeFileAtomic(join(folder, 'tokenizer.json'), json);
    await writeFileAtomic(join(folder, 'tokenizer_config.json'), config);
    if (specialTokensMap !== undefined) {
      await writeFileAtomic(join(folder, 'special_tokens_map.json'), specialTokensMap);
    }
  }

  /** Encodes without special tokens, in order: at least the first `room` tokens of each text. */
  #encodeBare(
    texts: readonly string[],
    { room, name }: { room: number; name: (index: number) => string },
    receive: (ids: number[]) => void,
  ): Promise<void> {
    const textAt = (index: number): string => wellFormed(texts[index], () => name(index));
    return this.#firstTokens.read({ count: texts.length, textAt, room }, receive);
  }
}

function createNative({ json, origin }: TokenizerFiles): NativeTokenizer {
  try {
    return NativeTokenizer.fromString(json);
  } catch (error) {
    throw new NearmissError(`${origin}: not a tokenizer: ${(error as Error).message}`, {
      hint: 'expected a tokenizer.json as the Hugging Face tokenizers library writes it',
      cause: error,
    });
  }
}

function largestId({ added_tokens, model }: TokenizerJson): number {
  let largest = Array.isArray(model.vocab) ? model.vocab.length - 1 : -1;
  if (!Array.isArray(model.vocab)) {
    for (const token in model.vocab) largest = Math.max(largest, model.vocab[token]);
  }
  for (const { id } of added_tokens) largest = Math.max(largest, id);
  return largest;
}

function roomFor(maxLength: number | undefined, special: number): number {
  if (maxLength === undefined) return Number.POSITIVE_INFINITY;
  if (Number.isInteger(maxLength) && maxLength >= special) return maxLength - special;
  throw new NearmissError(
    `maxLength: expected a whole number of at least ${special} (the special tokens), got ${describe(maxLength)}`,
    { hint: 'choose e.g. 64 for queries and 256 for passages' },
  );
}

function wellFormed(text: unknown, name: () => string): string {
  if (typeof text === 'string') return text.toWellFormed();
  throw new NearmissError(`${name()} of the batch: expected a string, got ${describe(text)}`, {
    hint: 'check the field that holds the text in your data: nearmiss data validate',
  });
}
