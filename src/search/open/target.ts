import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { besideFolder, cacheFolder } from '../../base/folders/cache-folder.js';
import { isWritable } from '../../base/folders/writable.js';
import { readJsonFile } from '../../base/json-file.js';
import { isMadeSplit } from '../../data/made-splits.js';
import { FORMAT_NAME as BM25_FORMAT } from '../../index/bm25/format-name.js';
import { isEngineAddress } from '../../index/engines/is-address.js';
import { documentSplit } from '../../recipe/document-split.js';
import { isRun } from '../../run/run-description.js';
import { RunDirectory } from '../../run/run-directory.js';
import { runIndexRemedy } from '../../run/run-index.js';
import { readSearchedRun } from '../../run/searched-run.js';
import type { SplitTokensOptions } from '../../text/split-tokens.js';
import { modelFolder, readChosenRun } from './chosen-model.js';

/** What a search needs and where it is; what is missing can be made, or the modes that need it are missing. */
export interface Target {
  name: string;
  /** The collection. */
  data?: string;
  model?: string;
  /** The run that it comes from, where somebody chose that. */
  chosen?: string;
  /** Folder of a vector index. */
  vectors?: string;
  /** Address of an engine that has the vectors and the documents, in place of a folder. */
  engine?: string;
  /** What to do where that is damaged, if not to build it again. */
  remedy?: string;
  /** How the index's documents were read, where that is known. */
  split?: SplitTokensOptions;
  /** Folder of a BM25 index. */
  bm25?: string;
  /** The model was trained on this collection, and chosen by its labels, or by queries that were made of its documents. */
  trained?: 'labels' | 'documents';
  /** Where to keep what has to be made. */
  cache: string;
}

export interface TargetOptions {
  data?: string;
  model?: string;
  collectionModel?: string;
  cache?: string;
  onNote?: (note: string) => void;
}

/** Finds out what a path is: a run, an index, or a collection. */
export async function resolveTarget(path: string, given: TargetOptions): Promise<Target> {
  const options = given.model === undefined ? given : { ...given, model: await modelFolder(given.model) };
  if (isEngineAddress(path)) return engineTarget(path, options);
  const info = await stat(path).catch(() => undefined);
  if (!info) {
    throw new NearmissError(`${path}: no such run, index or collection`, { hint: 'check the path' });
  }
  const name = basename(resolve(path));
  const { data, model } = options;
  if (await isRun(path)) return runTarget(path, name, options);
  const cache = options.cache ?? (await collectionCache(path));
  if (!info.isDirectory()) return collectionTarget(path, { name, cache }, options);
  const index = await indexKind(path);
  if (index === 'words') return { name, data, model, bm25: path, cache };
  if (index !== undefined) return { name, data, model, vectors: path, cache };
  if (await exists(join(path, 'config.json'))) {
    throw new NearmissError(`${path}: this is a model, not something to search`, {
      hint: `name a collection, and the model with --model ${path}`,
    });
  }
  return collectionTarget(path, { name, cache }, options);
}

/** Whether nothing was made of it yet that a model would have to fit. */
export function isCollection({ vectors, bm25, engine, trained }: Target): boolean {
  return vectors === undefined && bm25 === undefined && engine === undefined && trained === undefined;
}

async function collectionTarget(
  path: string,
  known: Pick<Target, 'name' | 'cache'>,
  { model, collectionModel, onNote }: TargetOptions,
): Promise<Target> {
  if (model !== undefined) return { ...known, data: path, model };
  if (collectionModel === undefined) return { ...known, data: path };
  const chosen = await readChosenRun(known.cache);
  if (chosen === undefined) return { ...known, data: path, model: collectionModel };
  if (await isRun(chosen)) {
    onNote?.(
      `searching ${known.name} with the model of ${chosen}, as was chosen in the web UI; --model ${collectionModel} takes the one as published`,
    );
    return { ...known, data: path, model: await modelFolder(chosen), chosen };
  }
  onNote?.(
    `${chosen} is not there any more, whose model was chosen for this collection: it is searched with ${collectionModel}`,
  );
  return { ...known, data: path, model: collectionModel };
}

async function engineTarget(engine: string, { data, model, cache }: TargetOptions): Promise<Target> {
  const { parseEngineAddress } = await import('../../index/engines/address.js');
  const { name = engine } = parseEngineAddress(engine);
  return { name, data, model, engine, cache: cache ?? userCache(engine, name) };
}

async function runTarget(path: string, name: string, options: TargetOptions): Promise<Target> {
  const run = new RunDirectory(path);
  const description = await readSearchedRun(run);
  const best = await run.readJson<{ step: number }>('best.json');
  const cache = options.cache ?? (await writableCache(run.file('cache', 'search'), path));
  const bm25 = (await exists(run.file('cache', 'bm25'))) ? run.file('cache', 'bm25') : undefined;
  const trained = isMadeSplit(description.recipe.evaluation.split) ? 'documents' : 'labels';
  const target: Target = { name, data: options.data ?? description.data, cache, bm25, trained };
  if (!(await exists(target.data!))) {
    if (options.data !== undefined) {
      throw new NearmissError(`${options.data}: no such collection`, { hint: 'check --data' });
    }
    options.onNote?.(
      `${description.data}: the run's collection is not there, so texts are not shown; name it with --data`,
    );
    target.data = undefined;
  }
  if (best === undefined) return target;
  // Weights of words are what BM25 counts by; the model itself is not asked when documents are found.
  if (description.recipe.model.kind === 'terms') {
    const index = run.stepPath('index', best.step);
    return (await exists(index)) ? { ...target, bm25: index } : target;
  }
  return {
    ...target,
    model: run.file('best'),
    vectors: run.stepPath('index', best.step),
    remedy: runIndexRemedy(run, best.step),
    split: documentSplit(description.recipe.model),
  };
}

/** Files that only one kind of index has beside its description. */
const TELLING_FILES = [
  { file: 'terms.bin', kind: 'words' },
  { file: 'vectors.bin', kind: 'vectors' },
  { file: 'graph.usearch', kind: 'vectors' },
  { file: 'rows.bin', kind: 'vectors' },
  { file: 'residuals.bin', kind: 'vectors' },
] as const;

async function indexKind(folder: string): Promise<'words' | 'vectors' | undefined> {
  const path = join(folder, 'meta.json');
  if (!(await exists(path))) return undefined;
  try {
    const { format } = await readJsonFile(path, z.object({ format: z.string() }));
    if (!format.startsWith('nearmiss-')) return undefined;
    return format === BM25_FORMAT ? 'words' : 'vectors';
  } catch {
    // A damaged description is told of by whoever opens the index, not taken for a collection.
    for (const { file, kind } of TELLING_FILES) if (await exists(join(folder, file))) return kind;
    return undefined;
  }
}

/** Where what is made of a collection is kept: in its folder, or in the user's cache where that may not be written. */
export async function collectionCache(path: string): Promise<string> {
  return writableCache(await besideFolder(path), path);
}

/** The place wanted, or one in the user's cache where that may not be written. */
async function writableCache(wanted: string, path: string): Promise<string> {
  // Where nothing can be kept at all, what is in the place wanted may be enough.
  if ((await isWritable(wanted)) || !(await isWritable(cacheFolder()))) return wanted;
  return userCache(resolve(path), basename(resolve(path)));
}

function userCache(target: string, name: string): string {
  const hash = createHash('sha256').update(target).digest('hex').slice(0, 12);
  return join(cacheFolder(), 'search', `${name}-${hash}`);
}
