import { NearmissError } from '../base/errors.js';
import { writeJsonFile } from '../base/json-file.js';
import { count, Progress } from '../base/progress.js';
import { CREATED_BY } from '../base/version.js';
import { describeLeftOut } from '../data/left-out.js';
import { encodeCollection } from '../model/encoder/encode-collection.js';
import { Encoder } from '../model/encoder/encoder.js';
import { type EncoderModel, loadEncoderModel } from '../model/encoder/encoder-model.js';
import { weightsFingerprint } from '../model/folder/weights-fingerprint.js';
import type { Precision, UsedPrecision } from '../model/precision/precision.js';
import { FLOAT_BYTES, type StorageType } from '../model/tensors/float-storage.js';
import { idsPath, VectorFileWriter } from '../model/tensors/vector-file.js';
import { openTextSource, type TextSource, type TextSourceOptions } from './text-source.js';

export interface EncodeFileOptions extends TextSourceOptions {
  model: string;
  output: string;
  dtype?: StorageType;
  use: 'query' | 'document';
  maxLength?: number;
  layers?: number;
  threads?: number;
  /** Execution provider of the engine. */
  provider?: string;
  /** In which numbers the model multiplies. Default fp32. */
  precision?: Precision;
  tokenBudget?: number;
  /** No progress. */
  quiet?: boolean;
  /** Receives what is worth knowing before the work starts. */
  log?: (line: string) => void;
}

/** Texts read and sorted by length at once. */
const TEXTS_AT_ONCE = 4096;

/** What was done; the command prints it as JSON. */
export interface EncodeSummary {
  input: string;
  model: string;
  output: string;
  /** Where the ids are. */
  ids: string;
  texts: number;
  tokens: number;
  dimension: number;
  dtype: StorageType;
  maxLength: number;
  /** In which numbers the model multiplied. */
  precision: UsedPrecision;
  seconds: number;
  tokensPerSecond: number;
}

/** Encodes every text of `input` into a vector file, which appears complete or not at all. */
export async function encodeFile(input: string, options: EncodeFileOptions): Promise<EncodeSummary> {
  const { output, use, quiet, log } = options;
  const source = await openTextSource(input, options);
  const model = await loadEncoderModel(options.model, {
    layers: options.layers,
    maxLength: options.maxLength,
    quiet,
  });
  const encoder = await Encoder.create(model, {
    session: { threads: options.threads, provider: options.provider, precision: options.precision },
    tokenBudget: options.tokenBudget,
  });
  try {
    const writer = await VectorFileWriter.create(output, {
      dimension: encoder.dimension,
      dtype: options.dtype,
      ids: true,
    });
    try {
      log?.(announce(model, writer, source));
      if (encoder.precisionReason !== undefined) log?.(`${encoder.precision}: ${encoder.precisionReason}`);
      const leftOut = describeLeftOut(source.leftOut);
      if (leftOut !== undefined) log?.(leftOut);
      const progress = new Progress({ label: 'encode', unit: 'texts', total: source.total, quiet });
      const started = performance.now();
      let [texts, tokens] = [0, 0];
      const secondsSoFar = (): number => (performance.now() - started) / 1000;
      const speed = (): string => `${count(tokens / secondsSoFar())} tokens/s`;
      const onBatch = (done: { texts: number; tokens: number }): void => {
        tokens += done.tokens;
        progress.advance(done.texts, speed());
      };
      const shards = encodeCollection(source.records, {
        encode: (records, onBatch) =>
          encoder.encode(
            records.map(({ text }) => text),
            { use, onBatch },
          ),
        shardSize: TEXTS_AT_ONCE,
        charactersOf: ({ text }) => text.length,
        onBatch,
      });
      for await (const shard of shards) {
        await writer.write(
          shard,
          shard.members.map(({ id }) => id),
        );
        texts += shard.members.length;
      }
      if (writer.rows === 0) throw nothingToEncode(input);
      const { name, parameters, maxLength } = model;
      await writeJsonFile(madePath(output), {
        model: name,
        weightsSha256: weightsFingerprint(parameters),
        precision: encoder.precision,
        use,
        maxLength,
        rows: writer.rows,
        dimension: writer.dimension,
        createdBy: CREATED_BY,
      });
      await writer.commit();
      progress.finish(speed());
      const seconds = secondsSoFar();
      return {
        input,
        model: options.model,
        output,
        ids: idsPath(output),
        texts,
        tokens,
        dimension: encoder.dimension,
        dtype: writer.dtype,
        maxLength: model.maxLength,
        precision: encoder.precision,
        seconds: Number(seconds.toFixed(3)),
        tokensPerSecond: Math.round(tokens / seconds),
      };
    } catch (error) {
      await writer.abort();
      throw error;
    }
  } finally {
    await encoder.release();
  }
}

/** Where it is said what made a vector file: `vectors.npy` → `vectors.made.json`. */
function madePath(output: string): string {
  return idsPath(output).replace(/\.ids\.txt$/, '.made.json');
}

/** What it will cost, as far as that is known before the first text is read. */
function announce(model: EncoderModel, writer: VectorFileWriter, { total }: TextSource): string {
  const { layers, hiddenSize } = model.spec.config;
  const what = `encode with ${model.name}: ${layers} layers × ${hiddenSize}, ${model.maxLength} tokens at most`;
  if (total === undefined) return what;
  const bytes = total * writer.dimension * FLOAT_BYTES[writer.dtype];
  return `${what}; about ${count(total)} texts, ${(bytes / 1e6).toFixed(1)} MB of vectors`;
}

function nothingToEncode(input: string): NearmissError {
  return new NearmissError(`${input}: no texts to encode`, {
    hint: 'check the input, and --split if you chose one',
  });
}
