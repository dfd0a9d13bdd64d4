import { NearmissError } from '../base/errors.js';
import { writeJsonFile } from '../base/json-file.js';
import { secondsSince } from '../base/numbers/seconds-since.js';
import { count, Progress } from '../base/progress.js';
import { CREATED_BY } from '../base/version.js';
import { describeLeftOut } from '../data/left-out.js';
import type { TextRecord } from '../data/tokens/token-cache-writer.js';
import { type EncodedShard, encodeCollection } from '../model/encoder/collection/encode-collection.js';
import { Encoder } from '../model/encoder/encoder.js';
import { embeddingSize } from '../model/encoder/encoder-graph.js';
import { type EncoderModel, loadEncoderModel } from '../model/encoder/encoder-model.js';
import type { OnBatch } from '../model/encoder/text-rows.js';
import { weightsFingerprint } from '../model/folder/weights-fingerprint.js';
import type { Precision, UsedPrecision } from '../model/precision/precision.js';
import { makesTerms, representationOf } from '../model/representation/kinds.js';
import { mostRows } from '../model/representation/representation.js';
import { FLOAT_BYTES, type StorageType } from '../model/tensors/float-storage.js';
import { idsPath, VectorFileWriter } from '../model/tensors/vector-file.js';
import { openTextSource, type TextSource, type TextSourceOptions } from './inputs/text-source.js';

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
  /** Encodes on the workers of a queue, which see the folder `store`. */
  queue?: string;
  store?: string;
  shardSize?: number;
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
  /** Of all texts: as many as these, or more where the model makes several of each. */
  vectors: number;
  /** Of workers it is not known. */
  tokens?: number;
  dimension: number;
  dtype: StorageType;
  maxLength: number;
  /** In which numbers the model multiplied. */
  precision: UsedPrecision;
  seconds: number;
  tokensPerSecond?: number;
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
  if (makesTerms(model.spec.head)) throw makesNoVectors(model, options.model);
  const place = await openPlace(model, options);
  try {
    const writer = await VectorFileWriter.create(output, {
      dimension: embeddingSize(model.spec),
      dtype: options.dtype,
      ids: true,
    });
    try {
      log?.(announce(model, writer, { use, total: source.total }));
      if (place.reason !== undefined) log?.(`${place.precision}: ${place.reason}`);
      const leftOut = describeLeftOut(source.leftOut);
      if (leftOut !== undefined) log?.(leftOut);
      const progress = new Progress({ label: 'encode', unit: 'texts', total: source.total, quiet });
      const started = performance.now();
      let [texts, tokens] = [0, 0];
      const secondsSoFar = (): number => secondsSince(started);
      const speed = (): string => (tokens === 0 ? '' : `${count(tokens / secondsSoFar())} tokens/s`);
      const onBatch = (done: { texts: number; tokens: number }): void => {
        tokens += done.tokens;
        progress.advance(done.texts, speed());
      };
      for await (const shard of place.shards(source.records, onBatch)) {
        await writer.write(
          shard,
          shard.members.map(({ id }) => id),
        );
        texts += shard.members.length;
        if (place.inShards) progress.advance(shard.members.length);
      }
      if (writer.rows === 0) throw nothingToEncode(input);
      const { name, parameters, maxLength } = model;
      await writeJsonFile(madePath(output), {
        model: name,
        weightsSha256: weightsFingerprint(parameters),
        precision: place.precision,
        use,
        maxLength,
        rows: writer.rows,
        dimension: writer.dimension,
        createdBy: CREATED_BY,
      });
      await writer.commit();
      await place.forget?.();
      progress.finish(speed());
      const seconds = secondsSoFar();
      return {
        input,
        model: options.model,
        output,
        ids: idsPath(output),
        texts,
        vectors: writer.rows,
        ...(place.inShards ? {} : { tokens }),
        dimension: writer.dimension,
        dtype: writer.dtype,
        maxLength: model.maxLength,
        precision: place.precision,
        seconds: Number(seconds.toFixed(3)),
        ...(place.inShards ? {} : { tokensPerSecond: Math.round(tokens / seconds) }),
      };
    } catch (error) {
      await writer.abort();
      throw error;
    }
  } finally {
    await place.close();
  }
}

/** Where texts are encoded: here, or on other machines. */
interface Place {
  precision: UsedPrecision;
  reason?: string;
  /** It is told of whole shards only. */
  inShards: boolean;
  shards(records: AsyncIterable<TextRecord>, onBatch: OnBatch): AsyncGenerator<EncodedShard<TextRecord>>;
  /** Removes what is kept elsewhere for the case of a kill. */
  forget?(): Promise<void>;
  close(): Promise<void>;
}

async function openPlace(model: EncoderModel, options: EncodeFileOptions): Promise<Place> {
  const { queue, store, use, shardSize = TEXTS_AT_ONCE, threads, provider, precision, log } = options;
  if (queue !== undefined && store !== undefined) {
    const { encodeOnFleet, FleetEncoder } = await import('../fleet/index.js');
    const used = precision === 'int8' ? 'int8' : 'fp32';
    const fleet = await FleetEncoder.open({ queue, store, model, use, precision: used, log });
    return {
      precision: used,
      inShards: true,
      shards: (records) =>
        encodeOnFleet(records, {
          fleet,
          shardSize,
          inputOf: (members) => members.map(({ text }) => text),
          charactersOf: ({ text }) => text.length,
        }),
      forget: () => fleet.forget(),
      close: () => fleet.close(),
    };
  }
  const session = { threads, provider, precision };
  const encoder = await Encoder.create(model, { session, tokenBudget: options.tokenBudget });
  return {
    precision: encoder.precision,
    reason: encoder.precisionReason,
    inShards: false,
    shards: (records, onBatch) =>
      encodeCollection(records, {
        encode: (records, onBatch) =>
          encoder.encode(
            records.map(({ text }) => text),
            { use, onBatch },
          ),
        shardSize: TEXTS_AT_ONCE,
        charactersOf: ({ text }) => text.length,
        onBatch,
      }),
    close: () => encoder.release(),
  };
}

/** Where it is said what made a vector file: `vectors.npy` → `vectors.made.json`. */
function madePath(output: string): string {
  return idsPath(output).replace(/\.ids\.txt$/, '.made.json');
}

/** What it will cost, as far as that is known before the first text is read. */
function announce(
  model: EncoderModel,
  writer: VectorFileWriter,
  { use, total }: Pick<EncodeFileOptions, 'use'> & Pick<TextSource, 'total'>,
): string {
  const { layers, hiddenSize } = model.spec.config;
  const what = `encode with ${model.name}: ${layers} layers × ${hiddenSize}, ${model.maxLength} tokens at most`;
  if (total === undefined) return what;
  const side = use === 'query' ? 'queries' : 'documents';
  // Rows that are tokens are as many as a text has.
  const most = Math.min(mostRows(representationOf(model.spec.head, side)), model.maxLength);
  const bytes = total * most * writer.dimension * FLOAT_BYTES[writer.dtype];
  return `${what}; about ${count(total)} texts, ${most > 1 ? 'up to ' : ''}${(bytes / 1e6).toFixed(1)} MB of vectors`;
}

function makesNoVectors({ name }: EncoderModel, path: string): NearmissError {
  return new NearmissError(`${name}: makes terms and their weights of a text, and no vectors`, {
    hint: `an inverted index holds them: nearmiss search DATA --model ${path}, nearmiss serve DATA --model ${path}`,
  });
}

function nothingToEncode(input: string): NearmissError {
  return new NearmissError(`${input}: no texts to encode`, {
    hint: 'check the input, and --split if you chose one',
  });
}
