import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { fullText } from '../../data/dataset.js';
import { detectFormat } from '../../data/detect/detect-format.js';
import { FILE_FORMATS, type FileParts, isFileFormat } from '../../data/formats.js';
import { openSources } from '../../data/open.js';
import { type FieldNames, toDocument } from '../../data/readers/fields.js';
import { lineSource, parseObject } from '../../data/readers/record-lines.js';
import type { RecordSource, Sources } from '../../data/sources.js';
import { SourcesDataset } from '../../data/sources-dataset.js';
import type { TextRecord } from '../../data/tokens/token-cache-writer.js';
import type { TextFormat } from '../options/text-formats.js';
import { estimateLines } from './estimate-lines.js';

export interface TextSourceOptions {
  format: TextFormat;
  /** Read queries instead of documents. */
  queries?: boolean;
  /** Only the queries judged in this split. */
  split?: string;
  fields: FieldNames;
  /** Names of a table's columns where it has no header line. */
  columns?: string[];
}

/** Texts to encode, read as a stream. */
export interface TextSource {
  records: AsyncIterable<TextRecord>;
  /** About how many there are, where the files tell. */
  total?: number;
  /** How many files of each ending that is not read a folder of texts has. */
  leftOut?: Sources['leftOut'];
}

/**
 * Opens whatever holds texts: a dataset's folder, JSON lines, tables, plain lines (whose ids are the lines'
 * numbers) or, for `-`, standard input, which is taken for JSON lines if it starts with `{` and for plain lines
 * otherwise.
 */
export async function openTextSource(input: string, options: TextSourceOptions): Promise<TextSource> {
  const sources = await openParts(input, options);
  const dataset = new SourcesDataset(sources);
  const parts = options.queries ? sources.queries : sources.documents;
  const total =
    options.split === undefined
      ? await estimateLines(parts.map(({ file }) => file))
      : (await dataset.qrels(options.split)).size;
  const records = options.queries ? dataset.queries(options.split) : documentTexts(dataset);
  return { records, total, leftOut: sources.leftOut };
}

async function* documentTexts(dataset: SourcesDataset): AsyncGenerator<TextRecord> {
  for await (const document of dataset.documents()) yield { id: document.id, text: fullText(document) };
}

async function openParts(input: string, options: TextSourceOptions): Promise<Sources> {
  const { format, fields, queries, columns } = options;
  const name = basename(input);
  const lines = format === 'text' || (format === 'auto' && (input === '-' || /\.txt(\.gz)?$/.test(name)));
  if (lines) {
    const source = textLines(input, { fields, plain: format === 'text' || input !== '-' });
    return single(name, queries ? { queries: source } : { documents: source });
  }
  const isFile = input === '-' || !(await isFolder(input));
  if (!isFile)
    return openSources(input, format === 'auto' ? {} : { format: format as 'beir' | 'msmarco' | 'folder' });
  const detected = await detect(input, options);
  if (!isFileFormat(detected.format)) {
    throw new NearmissError(`${input}: format "${detected.format}" is a folder, got a file`, {
      hint: 'name its folder, or one of its files with --format jsonl or tsv',
    });
  }
  const parts: FileParts = FILE_FORMATS[detected.format].open(input, {
    role: queries ? 'queries' : 'documents',
    fields,
    columns: columns ?? detected.columns,
  });
  return single(name, parts);
}

async function detect(
  input: string,
  { format, queries }: TextSourceOptions,
): Promise<{ format: string; columns?: string[] }> {
  if (format !== 'auto') return { format };
  return detectFormat(input, queries ? 'queries' : 'documents');
}

/** A collection that is one file. */
function single(name: string, { documents, queries, examples }: FileParts): Sources {
  return {
    name,
    format: '',
    documents: documents ? [documents] : [],
    queries: queries ? [queries] : [],
    qrels: new Map(),
    examples: new Map(examples ? [['train', examples]] : []),
  };
}

/** Lines that are texts, or JSON objects if the first one is and `plain` does not forbid it. */
function textLines(
  file: string,
  { fields, plain }: { fields: FieldNames; plain: boolean },
): RecordSource<{ id: string; text: string; title?: string }> {
  let objects: boolean | undefined = plain ? false : undefined;
  return lineSource(file, (text, at) => {
    objects ??= text.trimStart().startsWith('{');
    if (!objects) return { id: String(at.line), text };
    const record = parseObject(text, at);
    return record && toDocument(record, fields, at);
  });
}

async function isFolder(path: string): Promise<boolean> {
  const info = await stat(path).catch((error) => {
    throw new NearmissError(`${path}: no such file or folder`, { hint: 'check the path', cause: error });
  });
  return info.isDirectory();
}
