import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { readJsonFile } from '../../base/json-file.js';
import { checkFinite } from '../tensors/check-finite.js';
import { SafetensorsFile } from '../tensors/safetensors.js';

const SINGLE_FILE = 'model.safetensors';
const INDEX_FILE = 'model.safetensors.index.json';
const PICKLED = /^pytorch_model.*\.bin$/;

/** Every encoder has it, so whatever stands before it is the prefix of the encoder's names. */
const LANDMARK = 'embeddings.word_embeddings.weight';

const OTHER_TASKS = /^(pooler|cls|lm_head|classifier|qa_outputs)\./;

/** Whether a tensor belongs to another task (masked words, classification, …) and no encoder of texts uses it. */
export function isOfOtherTask(name: string): boolean {
  return OTHER_TASKS.test(name);
}

export interface ExportDetails {
  path: string;
  /** Whether some weights were rounded to 8 bits: what is read then is near the original, not the same. */
  quantized: boolean;
  /** How the export gets from states to one vector a text, where it does. */
  pooling?: 'first' | 'mean';
}

/**
 * The weights of a Hugging Face folder under the names that `BertModel.state_dict()` gives them, whatever
 * task and year the checkpoint is from: prefixes such as `bert.` are gone, `gamma`/`beta` are `weight`/`bias`,
 * and parts for other tasks are not listed. Who knows such a part by its name (a cross-encoder its classifier)
 * can read it all the same.
 */
export interface Weights {
  /** What else is known where they come out of an ONNX export. */
  readonly exported?: ExportDetails;
  readonly names: readonly string[];
  has(name: string): boolean;
  shape(name: string): number[];
  /**
   * Reads one tensor as float32, into a place where one is given; a missing or misshapen one, or one with a number that
   * is none, is an error that names it.
   */
  read(name: string, expectedShape: readonly number[], into?: Float32Array): Promise<Float32Array>;
  close(): Promise<void>;
}

/**
 * Opens `model.safetensors`, a sharded `model.safetensors.index.json`, or the only `*.safetensors` of a folder. With
 * `asStored` names stay as the files have them, which may then hold more than one encoder.
 *
 * @example
 * const weights = await openWeights('models/all-MiniLM-L6-v2');
 * const words = await weights.read('embeddings.word_embeddings.weight', [30522, 384]);
 * await weights.close();
 */
export async function openWeights(
  folder: string,
  { asStored = false }: { asStored?: boolean } = {},
): Promise<Weights> {
  const opened: SafetensorsFile[] = [];
  try {
    for (const name of await findWeightFiles(folder)) {
      opened.push(await SafetensorsFile.open(join(folder, name)));
    }
    return new FolderWeights(folder, opened, asStored);
  } catch (error) {
    await Promise.all(opened.map((file) => file.close()));
    throw error;
  }
}

interface Place {
  file: SafetensorsFile;
  storedName: string;
}

class FolderWeights implements Weights {
  readonly #folder: string;
  readonly #files: SafetensorsFile[];
  readonly #places: Map<string, Place>;

  constructor(folder: string, files: SafetensorsFile[], asStored: boolean) {
    this.#folder = folder;
    this.#files = files;
    this.#places = placesByName(folder, files, asStored);
  }

  get names(): string[] {
    return [...this.#places.keys()].filter((name) => !isOfOtherTask(name));
  }

  has(name: string): boolean {
    return this.#places.has(name);
  }

  shape(name: string): number[] {
    const { file, storedName } = this.#place(name);
    return file.shape(storedName);
  }

  async read(name: string, expectedShape: readonly number[], into?: Float32Array): Promise<Float32Array> {
    const { file, storedName } = this.#place(name);
    const values = await file.read(storedName, expectedShape, into);
    checkFinite(values, `${file.path}: tensor "${storedName}"`);
    return values;
  }

  async close(): Promise<void> {
    await Promise.all(this.#files.map((file) => file.close()));
  }

  #place(name: string): Place {
    const place = this.#places.get(name);
    if (place) return place;
    const files = this.#files.map(({ path }) => basename(path)).join(', ');
    throw new NearmissError(`${this.#folder}: tensor "${name}" is missing from ${files}`, {
      hint: `check that config.json is of the same model as the weights, which hold ${this.names.length} tensors: ${this.names.slice(0, 4).join(', ')}, …`,
    });
  }
}

function placesByName(folder: string, files: SafetensorsFile[], asStored: boolean): Map<string, Place> {
  const stored = files.flatMap((file) =>
    [...file.tensors.keys()]
      .filter((name) => file.isFloat(name))
      .map((storedName): Place => ({ file, storedName })),
  );
  if (asStored) return new Map(stored.map((place) => [place.storedName, place]));
  const prefix = encoderPrefix(
    folder,
    stored.map(({ storedName }) => storedName),
  );
  const places = new Map<string, Place>();
  for (const place of stored) {
    const name = canonicalName(place.storedName, prefix);
    const other = places.get(name);
    if (other && !isOfOtherTask(name)) {
      throw new NearmissError(
        `${folder}: tensors "${other.storedName}" and "${place.storedName}" both stand for "${name}"`,
        { hint: 'keep only one of them in the weights' },
      );
    }
    places.set(name, place);
  }
  return places;
}

function encoderPrefix(folder: string, names: string[]): string {
  const prefixes = names
    .filter((name) => name === LANDMARK || name.endsWith(`.${LANDMARK}`))
    .map((name) => name.slice(0, -LANDMARK.length));
  if (prefixes.length > 1) {
    throw new NearmissError(`${folder}: expected the weights of one encoder, got ${prefixes.join(' and ')}`, {
      hint: 'save each encoder (for queries, for documents) in a folder of its own',
    });
  }
  return prefixes[0] ?? '';
}

function canonicalName(storedName: string, prefix: string): string {
  const name = storedName.startsWith(prefix) ? storedName.slice(prefix.length) : storedName;
  return name.replace(/LayerNorm\.gamma$/, 'LayerNorm.weight').replace(/LayerNorm\.beta$/, 'LayerNorm.bias');
}

const shardIndex = z.object({ weight_map: z.record(z.string(), z.string()) });

async function findWeightFiles(folder: string): Promise<string[]> {
  const names = await listFolder(folder);
  if (names.includes(SINGLE_FILE)) return [SINGLE_FILE];
  if (names.includes(INDEX_FILE)) return shardNames(folder, names);
  const found = names.filter((name) => name.endsWith('.safetensors') && !name.startsWith('.'));
  if (found.length === 1) return found;
  if (found.length > 1) {
    throw new NearmissError(
      `${folder}: expected ${SINGLE_FILE} or one other *.safetensors file, got ${found.join(', ')}`,
      { hint: `rename the one to use to ${SINGLE_FILE}` },
    );
  }
  throw names.some((name) => PICKLED.test(name)) ? pickledOnly(folder) : noWeights(folder);
}

async function listFolder(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error) => {
    throw new NearmissError(`${folder}: cannot read the folder: ${error.message}`, {
      hint: 'name a folder with a model in it',
      cause: error,
    });
  });
  return names.sort();
}

async function shardNames(folder: string, present: string[]): Promise<string[]> {
  const path = join(folder, INDEX_FILE);
  const { weight_map: shardOf } = await readJsonFile(path, shardIndex);
  const shards = [...new Set(Object.values(shardOf))];
  const missing = shards.find((shard) => !present.includes(shard));
  if (missing !== undefined) {
    throw new NearmissError(`${path}: names the file "${missing}", which is not in the folder`, {
      hint: 'copy or download the missing file',
    });
  }
  return shards;
}

/** The error for a model that is only there as Python pickles, which we do not run. */
export function pickledOnly(model: string): NearmissError {
  return new NearmissError(
    `${model}: the weights are only there as pytorch_model.bin, expected safetensors`,
    {
      hint:
        'convert them once where Python is at hand, in the folder of the file (for a hub model, download it ' +
        'first; or a bot may have offered a conversion: try the revision refs/pr/1): python -c "import torch, ' +
        "safetensors.torch as s; s.save_file({k: v.clone() for k, v in torch.load('pytorch_model.bin', " +
        "map_location='cpu').items()}, 'model.safetensors', {'format': 'pt'})\"",
    },
  );
}

/** The error for a place that holds no weights at all. */
export function noWeights(model: string): NearmissError {
  return new NearmissError(
    `${model}: no weights: expected ${SINGLE_FILE}, ${INDEX_FILE} or onnx/model.onnx`,
    {
      hint: 'name a folder saved by transformers, sentence-transformers, optimum or nearmiss',
    },
  );
}
