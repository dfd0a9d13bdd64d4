import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../../../base/errors.js';
import {
  FILE_FORMAT_SUMMARIES,
  FOLDER_FORMAT_SUMMARIES,
  type FormatName,
} from '../../../data/format-names.js';
import type { OpenOptions } from '../../../data/open.js';
import type { TopicPart } from '../../../data/readers/trec-topics.js';
import { DEFAULT_MAX_WORDS, mostOverlap } from '../../../text/passage-limits.js';
import { list, repeated, wholeNumber } from '../../options/option-parsers.js';

/** The flags that say what a source is; see {@link toOpenOptions}. */
export interface SourceFlags {
  format: FormatName | 'auto';
  documents?: string;
  queries?: string;
  qrels?: Record<string, string>;
  examples?: Record<string, string>;
  split?: string;
  idField?: string;
  textField?: string[];
  titleField?: string;
  queryIdField?: string;
  queryTextField?: string[];
  lineIds?: boolean;
  queryField?: string;
  documentField?: string;
  columns?: string[];
  delimiter?: string;
  topicPart?: TopicPart;
  maxWords?: number;
  overlap?: number;
  include?: string[];
  exclude?: string[];
  code?: boolean;
  site?: boolean;
  sheet?: string;
}

/** Adds the flags that name a source's format, its parts and its fields. */
export function addSourceOptions(command: Command): Command {
  const formats = ['auto', ...Object.keys(FOLDER_FORMAT_SUMMARIES), ...Object.keys(FILE_FORMAT_SUMMARIES)];
  return command
    .addOption(new Option('--format <name>', 'format of the source').choices(formats).default('auto'))
    .option('--documents <file>', 'documents that are in another file')
    .option('--queries <file>', 'queries that are in another file')
    .option('--qrels <split=file>', 'judgments that are in another file (repeatable)', bySplit('test'))
    .option('--examples <split=file>', 'training examples in another file (repeatable)', bySplit('train'))
    .option('--split <name>', 'the split of the examples of a training file (default: train)')
    .option('--id-field <name>', 'field or column that holds the id of a document (a.b: inside another)')
    .option('--text-field <name>', 'field that holds its text (repeatable: joined)', repeated)
    .option('--title-field <name>', 'field that holds its title')
    .option('--query-id-field <name>', 'field that holds the id of a query')
    .option('--query-text-field <name>', 'field that holds its text (repeatable: joined)', repeated)
    .option('--query-field <name>', 'pairs: the column that asks (a.b: inside another)')
    .option('--document-field <name>', 'pairs: the column that answers (or several answers)')
    .option('--line-ids', 'use the number of the line as the id of a document')
    .option('--columns <names>', 'names of the columns, comma separated, for tables without a header', list)
    .option(
      '--delimiter <character>',
      'between the cells of CSV (default: comma or semicolon, as found)',
      someCharacter,
    )
    .addOption(new Option('--topic-part <part>', 'part of TREC topics').choices(['title', 'desc', 'narr']))
    .option(
      '--max-words <n>',
      `longest passage of a folder of texts, in words (default: ${DEFAULT_MAX_WORDS})`,
      wholeNumber(1),
    )
    .option(
      '--overlap <n>',
      'words that such a passage repeats from the one before (default: 0)',
      wholeNumber(0),
    )
    .option(
      '--include <pattern>',
      'only these files of a folder of texts, e.g. "guide/**" (repeatable)',
      repeated,
    )
    .option('--exclude <pattern>', 'not these files (repeatable)', repeated)
    .option('--code', 'read programs, too (without it: where the folder holds nothing else)')
    .option('--site', 'the folder is a saved website: leave out menus and footers, read each page once')
    .option('--sheet <name>', 'sheet of an Excel workbook (default: the first one with rows)');
}

/** The flags as {@link OpenOptions}. */
export function toOpenOptions(flags: SourceFlags): OpenOptions {
  checkOverlap(flags);
  const { queryField, documentField } = flags;
  if ((queryField === undefined) !== (documentField === undefined)) {
    throw new UsageError('--query-field and --document-field: expected both, got one', {
      hint: 'a pair has two sides: name both columns',
    });
  }
  return {
    ...(flags.format !== 'auto' && { format: flags.format }),
    documents: flags.documents,
    queries: flags.queries,
    qrels: flags.qrels,
    examples: flags.examples,
    split: flags.split,
    columns: flags.columns,
    delimiter: flags.delimiter,
    topicPart: flags.topicPart,
    ...(queryField !== undefined && { pair: { query: queryField, document: documentField! } }),
    folder: {
      maxWords: flags.maxWords,
      overlap: flags.overlap,
      include: flags.include,
      exclude: flags.exclude,
      code: flags.code,
      site: flags.site,
    },
    sheet: flags.sheet,
    fields: { id: flags.idField, text: flags.textField, title: flags.titleField, lineIds: flags.lineIds },
    queryFields: { id: flags.queryIdField, text: flags.queryTextField },
  };
}

function checkOverlap({ overlap = 0, maxWords = DEFAULT_MAX_WORDS }: SourceFlags): void {
  const most = mostOverlap(maxWords);
  if (overlap <= most) return;
  throw new UsageError(
    `--overlap: expected at most ${most}, half of --max-words ${maxWords}, got ${overlap}`,
    { hint: 'choose a smaller overlap, or longer passages' },
  );
}

/** Every path that a source is read from. */
export function sourcePaths(source: string, flags: SourceFlags): (string | undefined)[] {
  const { documents, queries, qrels = {}, examples = {} } = flags;
  return [source, documents, queries, ...Object.values(qrels), ...Object.values(examples)];
}

/** The formats with what they are, for the help text. */
export function formatsHelp(): string {
  const line = ([name, summary]: [string, string]): string => `  ${name.padEnd(28)}${summary}`;
  return [...Object.entries(FOLDER_FORMAT_SUMMARIES), ...Object.entries(FILE_FORMAT_SUMMARIES)]
    .map(line)
    .join('\n');
}

function someCharacter(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('Expected a character, such as ; or |.');
}

function bySplit(usual: string) {
  return (text: string, before: Record<string, string> = {}): Record<string, string> => {
    const [, split = usual, file = text] = /^([^=/\\]+)=(.+)$/.exec(text) ?? [];
    return { ...before, [split]: file };
  };
}
