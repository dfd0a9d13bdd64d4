import { createHash } from 'node:crypto';
import { NearmissError } from '../base/errors.js';
import type { SessionOptions } from '../engine/index.js';
import { weightsFingerprint } from '../model/folder/weights-fingerprint.js';
import { Decoder } from '../model/seq2seq/decoder.js';
import { generateTokens } from '../model/seq2seq/generate.js';
import {
  type BeamOptions,
  checkGenerateOptions,
  type GenerateOptions,
  type SampleOptions,
} from '../model/seq2seq/generate-options.js';
import { loadSeq2Seq, type Seq2SeqModel } from '../model/seq2seq/seq2seq-model.js';
import { withoutEnd } from '../model/seq2seq/written-tokens.js';
import { tokensAt } from '../text/token-batch.js';
import { distinctQueries, type Passage, type QueryGenerator, type Spent } from './query-generator.js';

export interface Seq2SeqGeneratorOptions extends Omit<GenerateOptions, 'search' | 'maxTokens' | 'suppress'> {
  search: Omit<SampleOptions, 'keys'> | BeamOptions | { kind: 'greedy' };
  /** Default: as the model was trained. */
  maxTokens?: number;
  session?: SessionOptions;
}

/** Sequences that are written at once: more gain little, and each holds its keys and values. */
const SEQUENCES_AT_ONCE = 96;

/** Tokens that no query has. */
const NEVER = ['[PAD]', '[CLS]', '[UNK]', '[MASK]', '<pad>', '<unk>', '<mask>', '<s>'];

/** A model of our own, or a T5, that writes queries. */
export class Seq2SeqGenerator implements QueryGenerator {
  readonly name: string;
  readonly fingerprint: string;
  readonly atOnce: number;
  readonly spent: Spent = { tokens: 0, read: 0, retries: 0 };
  readonly #model: Seq2SeqModel;
  readonly #decoder: Decoder;
  readonly #options: GenerateOptions;

  private constructor(model: Seq2SeqModel, decoder: Decoder, options: GenerateOptions) {
    const copies = options.search.kind === 'greedy' ? 1 : options.search.copies;
    const rows = options.search.kind === 'beam' ? options.search.beams : copies;
    this.name = model.name;
    this.atOnce = Math.max(1, Math.floor(SEQUENCES_AT_ONCE / rows));
    this.#model = model;
    this.#decoder = decoder;
    this.#options = options;
    this.fingerprint = createHash('sha256')
      .update(JSON.stringify([weightsFingerprint(model.parameters), model.maxSource, options]))
      .digest('hex');
  }

  /**
   * @param init a folder or hub id of a T5, or what `nearmiss train --recipe query-generator` left
   * @example
   * const generator = await Seq2SeqGenerator.open('models/generator', {
   *   search: { kind: 'sample', copies: 5, topK: 10, topP: 1, temperature: 1, seed: 1 },
   * });
   * const [queries] = await generator.generate([{ key: 0, text: 'A near miss is something that almost happened.' }]);
   * console.log(queries);
   * await generator.close();
   */
  static async open(
    init: string,
    { session, maxTokens, ...options }: Seq2SeqGeneratorOptions,
  ): Promise<Seq2SeqGenerator> {
    const model = await loadSeq2Seq(init);
    const most = maxTokens ?? model.maxTarget;
    requirePlaces(model, most);
    const suppress = NEVER.flatMap((token) => model.tokenizer.id(token) ?? []);
    const writing = { ...options, suppress, maxTokens: most };
    // Before anything is written: what is wrong here is wrong for every passage.
    checkGenerateOptions(writing);
    const decoder = await Decoder.create(model, session);
    return new Seq2SeqGenerator(model, decoder, writing);
  }

  async generate(passages: readonly Passage[]): Promise<string[][]> {
    const { tokenizer, maxSource, spec } = this.#model;
    const batch = await tokenizer.encodeBatch(
      passages.map(({ text }) => text),
      { maxLength: maxSource },
    );
    const sources = passages.map((_, i) => tokensAt(batch, i));
    const { search } = this.#options;
    const keys = passages.map(({ key }) => key);
    const written = await generateTokens(this.#decoder, sources, {
      ...this.#options,
      search: search.kind === 'sample' ? { ...search, keys } : search,
    });
    this.spent.read += batch.ids.length;
    return Promise.all(
      written.map(async (sequences) => {
        const texts: string[] = [];
        for (const tokens of sequences) {
          this.spent.tokens += tokens.length;
          texts.push(await tokenizer.decode(withoutEnd(tokens, spec.shape)));
        }
        return distinctQueries(texts);
      }),
    );
  }

  close(): Promise<void> {
    return this.#decoder.release();
  }
}

/** Refuses more tokens than the model has positions for; a T5 has no such limit. */
function requirePlaces({ name, spec }: Seq2SeqModel, maxTokens: number): void {
  const { maxTarget = Number.POSITIVE_INFINITY } = spec.shape;
  if (maxTokens <= maxTarget) return;
  throw new NearmissError(
    `${name}: maxTokens: expected at most ${maxTarget}, as many as it has positions for, got ${maxTokens}`,
    { hint: 'ask for fewer, or train a generator with a larger model.maxLength.query' },
  );
}
