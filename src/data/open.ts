import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { hasCode, NearmissError } from '../base/errors.js';
import { detectFormat } from './detect/detect-format.js';
import type { Detected } from './detect/detected.js';
import { type FormatName, isFileFormat } from './format-names.js';
import type { FileOptions, FileParts } from './formats.js';
import { addJudged, type Judged, readJudged } from './judged/judged-split.js';
import type { OnProblem } from './problem.js';
import { qrelsSource } from './qrels.js';
import { beirSources, isBeir } from './readers/beir.js';
import type { FieldNames } from './readers/fields.js';
import type { OpenFolderOptions } from './readers/folder.js';
import { isMsmarco, msmarcoSources } from './readers/msmarco.js';
import type { PairFields } from './readers/pair-fields.js';
import { isTextFile } from './readers/texts/text-endings.js';
import type { TopicPart } from './readers/trec-topics.js';
import { nonEmpty, type Sources } from './sources.js';
import { SourcesDataset } from './sources-dataset.js';

export interface OpenOptions {
  /**
   * What people judged while the collection was served is a split of it, `judged`. Default: as it is now; `false` leaves it
   * out, and what was read at another moment can be given.
   */
  judgments?: Judged | false;
  /** The format of `path`; recognised when left out. */
  format?: FormatName;
  /** More parts of the collection, where they are not beside each other. */
  documents?: string;
  queries?: string;
  /** By split. */
  qrels?: Record<string, string>;
  /** By split. */
  examples?: Record<string, string>;
  /** The split that the examples of a single training file belong to. Default `train`. */
  split?: string;
  /** Which fields of JSON, CSV and TSV files hold what. */
  fields?: FieldNames;
  queryFields?: FieldNames;
  /** The two columns of a file of pairs: then it is one. Default: found by the usual names. */
  pair?: PairFields;
  /** The columns' names, for CSV and TSV files without a header line. */
  columns?: string[];
  /** Between the cells of CSV files. Default: found in the first line. */
  delimiter?: string;
  /** Which sheet of an Excel workbook is read. Default: the first one with rows. */
  sheet?: string;
  /** Which part of TREC topics is the query. Default `title`. */
  topicPart?: TopicPart;
  /** How a folder of Markdown, HTML, PDF or text files, or a single one, is cut into passages. */
  folder?: OpenFolderOptions;
  /** Called for each problem instead of throwing at the first error; the record at fault is skipped. */
  onProblem?: OnProblem;
}

/**
 * Opens a collection, whatever its format; nothing is read before it is asked for.
 *
 * @example
 * const beir = await openDataset('data/scifact');
 * const trec = await openDataset('collection.tsv', { queries: 'topics.txt', qrels: { test: 'qrels.txt' } });
 */
export async function openDataset(path: string, options: OpenOptions = {}): Promise<SourcesDataset> {
  return new SourcesDataset(await openSources(path, options), options.onProblem);
}

/** The parts of a collection, each with its file, for those who must name places (validation). */
export async function openSources(path: string, options: OpenOptions = {}): Promise<Sources> {
  const sources = await openMain(path, options);
  // The columns are those of the main file.
  const others = { ...options, columns: undefined, pair: undefined };
  if (options.documents) await addFile(sources, options.documents, 'documents', others);
  if (options.queries) await addFile(sources, options.queries, 'queries', others);
  for (const [split, file] of Object.entries(options.qrels ?? {})) {
    sources.qrels.set(split, nonEmpty(qrelsSource(file), 'judgments'));
  }
  const { judgments = await readJudged(path) } = options;
  if (judgments) addJudged(sources, judgments, path);
  for (const [split, file] of Object.entries(options.examples ?? {})) {
    await addFile(sources, file, 'documents', { ...others, split });
  }
  return sources;
}

async function openMain(path: string, options: OpenOptions): Promise<Sources> {
  if (await isFolder(path)) return openFolderSources(path, options);
  const text = options.format === undefined && (await textSources(path, options));
  if (text) return text;
  const sources = emptySources(basename(resolve(path)).replace(/\.(gz|jsonl?|[ct]sv|xlsx)\b/g, ''));
  sources.format = await addFile(sources, path, 'documents', options, options.format);
  return sources;
}

/** A single text is a collection of its passages. */
async function textSources(
  path: string,
  { folder, pair, columns }: OpenOptions,
): Promise<Sources | undefined> {
  const ending = extname(path).toLowerCase();
  if (!isTextFile(ending) || pair !== undefined || columns !== undefined) return undefined;
  // Topics, judgments and tables are often called so.
  if (ending === '.txt' && (await detectFormat(path, 'documents').catch(() => undefined))) return undefined;
  const { textFileSources } = await import('./readers/folder.js');
  return textFileSources(path, folder);
}

async function openFolderSources(path: string, options: OpenOptions): Promise<Sources> {
  const { format } = options;
  const names = await readdir(path);
  if (format === 'beir' || (!format && isBeir(names))) return beirSources(path);
  if (format === 'msmarco' || (!format && isMsmarco(names))) return msmarcoSources(path);
  if (format && format !== 'folder') {
    throw new NearmissError(`${path}: format "${format}" is a file, got a folder`, {
      hint: 'name the file in it',
    });
  }
  const { folderSources, NoTextFilesError } = await import('./readers/folder.js');
  try {
    return await folderSources(path, options.folder);
  } catch (error) {
    if (format || !(error instanceof NoTextFilesError)) throw error;
    const tables = names.filter((name) => TABLES.test(name)).slice(0, MOST_NAMED);
    throw new NearmissError(`${path}: no collection found in this folder`, {
      hint:
        tables.length > 0
          ? `a table is named itself: ${tables.map((name) => join(path, name)).join(', ')}`
          : `expected corpus.jsonl (BEIR), collection.tsv or msmarco-docs.tsv (MS MARCO), or texts (${error.message})`,
      cause: error,
    });
  }
}

/** Files that are a collection each, not parts of one. */
const TABLES = /\.(?:csv|tsv|jsonl|json|xlsx)(?:\.gz)?$/i;
const MOST_NAMED = 3;

function emptySources(name: string): Sources {
  return { name, format: '', documents: [], queries: [], qrels: new Map(), examples: new Map() };
}

async function addFile(
  sources: Sources,
  file: string,
  role: FileOptions['role'],
  options: OpenOptions,
  named?: FormatName,
): Promise<string> {
  if (named && !isFileFormat(named)) {
    throw new NearmissError(`${file}: format "${named}" is a folder, got a file`, {
      hint: 'name its folder',
    });
  }
  const fields = role === 'queries' ? options.queryFields : options.fields;
  const { pair } = options;
  const { format, columns, delimiter, lineIds } = named
    ? ({ format: named } as Detected)
    : await detectFormat(file, role, {
        pair,
        columns: options.columns,
        delimiter: options.delimiter,
        sheet: options.sheet,
        fields,
      });
  const { FILE_FORMATS } = await import('./formats.js');
  const parts: FileParts = FILE_FORMATS[format].open(file, {
    role,
    fields: lineIds === undefined ? (fields ?? {}) : { ...fields, lineIds: fields?.lineIds || lineIds },
    columns: options.columns ?? columns,
    delimiter: options.delimiter ?? delimiter,
    sheet: options.sheet,
    topicPart: options.topicPart,
    pair,
  });
  if (parts.documents) sources.documents.push(nonEmpty(parts.documents, 'documents'));
  if (parts.queries) sources.queries.push(nonEmpty(parts.queries, 'queries'));
  if (parts.examples)
    sources.examples.set(options.split ?? 'train', nonEmpty(parts.examples, 'training examples'));
  return format;
}

async function isFolder(path: string): Promise<boolean> {
  const info = await stat(path).catch((error) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new NearmissError(`${path}: no such file or folder`, { hint: 'check the path' });
  });
  return info.isDirectory();
}
