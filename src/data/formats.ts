import { isObject } from '../base/is-object.js';
import type { Document, Query } from './dataset.js';
import type { FileFormatName } from './format-names.js';
import { colbertExamples } from './readers/colbert.js';
import { dprExamples } from './readers/dpr.js';
import { type FieldNames, type Role, toDocument, toQuery } from './readers/fields.js';
import { flagEmbeddingExamples } from './readers/flagembedding.js';
import { jsonArraySource } from './readers/json-array.js';
import { jsonlDocuments, jsonlQueries } from './readers/jsonl.js';
import {
  msmarcoDocuments,
  msmarcoPassages,
  msmarcoQueries,
  msmarcoTop1000,
  msmarcoTripleIds,
  msmarcoTriples,
} from './readers/msmarco-files.js';
import { xlsxRows } from './readers/office/xlsx-records.js';
import type { PairFields } from './readers/pair-fields.js';
import { tripletExamples } from './readers/sentence-transformers.js';
import { type TableOptions, tableSource } from './readers/table.js';
import { tevatronExamples } from './readers/tevatron.js';
import { type TopicPart, trecTopics } from './readers/trec-topics.js';
import type { ExampleSource, RecordSource } from './sources.js';

export { isFileFormat } from './format-names.js';

/** What a single file holds. */
export interface FileParts {
  documents?: RecordSource<Document>;
  queries?: RecordSource<Query>;
  examples?: ExampleSource;
}

export interface FileOptions {
  /** What the records of a file of no special format (JSON, CSV, TSV) are. */
  role: Role;
  fields: FieldNames;
  /** The columns' names of a table without a header line. */
  columns?: string[];
  /** Between the cells of CSV. Default: a comma. */
  delimiter?: string;
  /** The sheet of a workbook. Default: the first one with rows. */
  sheet?: string;
  topicPart?: TopicPart;
  /** The two sides of a file of pairs. */
  pair?: PairFields;
}

interface FileFormat {
  open(file: string, options: FileOptions): FileParts;
}

const TABS = { delimiter: '\t', quotes: false };

/** Every format of a single file; what each is for is told in `format-names.ts`. */
export const FILE_FORMATS: Record<FileFormatName, FileFormat> = {
  jsonl: {
    open: (file, { role, fields }) =>
      role === 'queries'
        ? { queries: jsonlQueries(file, fields) }
        : { documents: jsonlDocuments(file, fields) },
  },
  json: { open: openJson },
  csv: {
    open: (file, options) => openTable(file, { delimiter: options.delimiter ?? ',', quotes: true }, options),
  },
  tsv: { open: (file, options) => openTable(file, TABS, options) },
  xlsx: {
    open: (file, options) => openTable(file, { rows: xlsxRows(file, options.sheet) }, options),
  },
  'trec-topics': { open: (file, { topicPart }) => ({ queries: trecTopics(file, topicPart) }) },
  'msmarco-passages': { open: (file) => ({ documents: msmarcoPassages(file) }) },
  'msmarco-documents': { open: (file) => ({ documents: msmarcoDocuments(file) }) },
  'msmarco-queries': { open: (file) => ({ queries: msmarcoQueries(file) }) },
  'msmarco-triples': { open: (file) => ({ examples: msmarcoTriples(file) }) },
  'msmarco-triple-ids': { open: (file) => ({ examples: msmarcoTripleIds(file) }) },
  'msmarco-top1000': { open: (file) => msmarcoTop1000(file) },
  'dpr-passages': { open: (file, options) => openTable(file, { delimiter: '\t', quotes: true }, options) },
  dpr: { open: (file) => ({ examples: dprExamples(file) }) },
  'dpr-jsonl': { open: (file) => ({ examples: dprExamples(file, { lines: true }) }) },
  tevatron: { open: (file) => ({ examples: tevatronExamples(file) }) },
  flagembedding: { open: (file) => ({ examples: flagEmbeddingExamples(file) }) },
  colbert: { open: (file) => ({ examples: colbertExamples(file) }) },
  'sentence-transformers': { open: (file, { pair }) => ({ examples: tripletExamples(file, { pair }) }) },
  'sentence-transformers-json': {
    open: (file, { pair }) => ({ examples: tripletExamples(file, { list: true, pair }) }),
  },
  'sentence-transformers-csv': {
    open: (file, { pair, columns, delimiter = ',' }) => {
      // Tabs are used where cells are not quoted, but by spreadsheets.
      const table = { delimiter, quotes: delimiter !== '\t' || /\.csv(?:\.gz)?$/i.test(file), columns };
      return { examples: tripletExamples(file, { table, pair }) };
    },
  },
  'sentence-transformers-xlsx': {
    open: (file, { pair, columns, sheet }) => {
      const table = { rows: xlsxRows(file, sheet), columns };
      return { examples: tripletExamples(file, { table, pair }) };
    },
  },
};

function openJson(file: string, { role, fields }: FileOptions): FileParts {
  const documents = jsonArraySource(file, (value, at) =>
    isObject(value) ? toDocument(value, fields, at) : at.error('wrong-type', 'expected an object'),
  );
  const queries = jsonArraySource(file, (value, at) =>
    isObject(value) ? toQuery(value, fields, at) : at.error('wrong-type', 'expected an object'),
  );
  return role === 'queries' ? { queries } : { documents };
}

function openTable(file: string, table: TableOptions, { role, fields, columns }: FileOptions): FileParts {
  const options = { ...table, columns };
  return role === 'queries'
    ? { queries: tableSource(file, options, (row, at) => toQuery(row, fields, at)) }
    : { documents: tableSource(file, options, (row, at) => toDocument(row, fields, at)) };
}
