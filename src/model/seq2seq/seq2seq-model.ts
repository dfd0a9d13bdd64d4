import { join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { readJsonFile } from '../../base/json-file.js';
import { bytesOf } from '../../base/numbers/bytes-of.js';
import { ParameterStore } from '../../engine/index.js';
import { Tokenizer } from '../../text/tokenizer.js';
import { fillFolder, type SaveModelOptions, saveFolder } from '../folder/save-model.js';
import { resolveModel } from '../folder/source.js';
import { openWeights } from '../folder/weights.js';
import type { HubOptions } from '../hub/hub.js';
import type { NamedTensor } from '../tensors/tensor.js';
import { BERT2RND_TYPE, parseBert2RndConfig } from './bert2rnd-config.js';
import { bert2RndSpec } from './bert2rnd-network.js';
import type { Seq2SeqSpec } from './network.js';
import { parseT5Config, T5_TYPES } from './t5-config.js';
import { t5Spec } from './t5-network.js';

/** Weights of a model that reads a text and writes another, without its tokenizer. */
export interface Seq2SeqWeights {
  spec: Seq2SeqSpec;
  parameters: ParameterStore;
}

/** A model that reads a text and writes another, in memory. */
export interface Seq2SeqModel extends Seq2SeqWeights {
  /** What it is called in tables and cards. */
  name: string;
  tokenizer: Tokenizer;
  /** Tokens kept of a source, and written at most. */
  maxSource: number;
  maxTarget: number;
}

/** Tokens that are read and written where a model has no limit of its own: as docT5query was trained. */
const MAX_SOURCE = 512;
const MAX_TARGET = 64;

const SHARED_TABLE =
  'nearmiss reads models that share one table of words; where a T5 has an output of its own, as v1.1 and flan do, config.json has to say "tie_word_embeddings": false';

/** Whether a folder holds a model that reads a text and writes another. */
export async function isSeq2Seq(folder: string): Promise<boolean> {
  const path = join(folder, 'config.json');
  if (!(await exists(path))) return false;
  const { model_type: type } = await readJsonFile(path, z.looseObject({ model_type: z.string().optional() }));
  return type !== undefined && (T5_TYPES.includes(type) || type === BERT2RND_TYPE);
}

/** Reads config and weights of a T5 (v1.0, v1.1, flan) or of an encoder-decoder of the BERT family. */
export async function readSeq2SeqWeights(folder: string): Promise<Seq2SeqWeights> {
  const spec = await readSpec(folder);
  const parameters = new ParameterStore(spec.parameters());
  const weights = await openWeights(folder, { asStored: true });
  try {
    for (const { name, shape } of parameters.specs) {
      const [stored, ...copies] = spec.stored(name);
      const values = await weights.read(stored, shape, parameters.get(name));
      for (const copy of [...copies, ...(spec.repeated?.(name) ?? [])]) {
        if (!weights.has(copy)) continue;
        const other = await weights.read(copy, shape);
        if (Buffer.compare(bytesOf(values), bytesOf(other)) === 0) continue;
        throw new NearmissError(`${folder}: expected "${copy}" to equal "${stored}", got other numbers`, {
          hint: SHARED_TABLE,
        });
      }
    }
  } finally {
    await weights.close();
  }
  return { spec, parameters };
}

async function readSpec(folder: string): Promise<Seq2SeqSpec> {
  const path = join(folder, 'config.json');
  const raw = await readJsonFile(path, z.looseObject({ model_type: z.string().optional() }), {
    hint: 'name a folder saved by transformers or nearmiss',
  });
  const type = raw.model_type ?? 'nothing';
  if (T5_TYPES.includes(type)) return t5Spec(parseT5Config(raw, path));
  if (type === BERT2RND_TYPE) return bert2RndSpec(parseBert2RndConfig(raw, path));
  throw new NearmissError(
    `${path}: field "model_type": expected a model that writes texts (${[...T5_TYPES, BERT2RND_TYPE].join(', ')}), got "${type}"`,
    { hint: 'train one with `nearmiss train --recipe query-generator`, or name the folder of a T5' },
  );
}

/**
 * Loads a model that reads a text and writes another: a folder or hub id of a T5, or what `nearmiss train --recipe
 * query-generator` left.
 *
 * @example
 * const model = await loadSeq2Seq('models/generator');
 * console.log(model.spec.family, model.parameters.buffer.length);
 */
export async function loadSeq2Seq(init: string, options: HubOptions = {}): Promise<Seq2SeqModel> {
  const { folder, name } = await resolveModel(init, options);
  const { spec, parameters } = await readSeq2SeqWeights(folder);
  const tokenizer = await Tokenizer.load(folder);
  const { vocabularySize, maxSource, maxTarget } = spec.shape;
  if (tokenizer.vocabularySize > vocabularySize) {
    throw new NearmissError(
      `${folder}: the tokenizer has ${tokenizer.vocabularySize} tokens but the model embeds only ${vocabularySize}`,
      { hint: 'the tokenizer belongs to another model' },
    );
  }
  const longest = Math.min(maxSource ?? MAX_SOURCE, tokenizer.maxLength ?? MAX_SOURCE);
  return {
    name,
    spec,
    parameters,
    tokenizer,
    maxSource: longest,
    maxTarget: Math.min(maxTarget ?? MAX_TARGET, MAX_TARGET),
  };
}

/** The weights as `model.safetensors` holds them. */
function seq2SeqTensors({ spec, parameters }: Seq2SeqWeights): NamedTensor[] {
  return parameters.specs.flatMap(({ name, shape }) =>
    spec.stored(name).map((stored) => ({ name: stored, shape: [...shape], data: parameters.get(name) })),
  );
}

/** Saves a model as a folder that Transformers loads; it appears complete or not at all. */
export async function saveSeq2Seq(
  folder: string,
  model: Seq2SeqModel,
  options: SaveModelOptions & { overwrite?: boolean } = {},
): Promise<void> {
  await saveFolder(folder, (temporary) => fillSeq2SeqFolder(temporary, model, options), options);
}

/** Writes a model's files into a folder that the caller makes appear. */
export async function fillSeq2SeqFolder(
  folder: string,
  model: Seq2SeqModel,
  { card }: Pick<SaveModelOptions, 'card'> = {},
): Promise<void> {
  const { spec, tokenizer, maxSource, name } = model;
  await fillFolder(
    folder,
    {
      config: spec.toConfig(),
      tensors: seq2SeqTensors(model),
      tokenizer,
      maxLength: maxSource,
      async card() {
        // Not loaded with the file: who opens a model to write with it, writes no card.
        const { renderSeq2SeqCard } = await import('./seq2seq-card.js');
        return renderSeq2SeqCard({ name, maxSequenceLength: maxSource, ...card }, spec.family);
      },
    },
    { onnx: false },
  );
}
