import type { Document, Query } from './dataset.js';
import type { FileFormatName } from './format-names.js';
import { colbertExamples } from './readers/colbert.js';
import { dprExamples } from './readers/dpr.js';
import { type FieldNames, toDocument, toQuery } from './readers/fields.js';
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
import { isObject } from './readers/record-lines.js';
import { tripletExamples } from './readers/sentence-transformers.js';
import { type TableOptions, tableSource } from './readers/table.js';
import { tevatronExamples } from './readers/tevatron.js';
import { type TopicPart, trecTopics } from './readers/trec-topics.js';
import type { ExampleSource, RecordSource } from './sources.js';

/** What a single file holds. */
export interface FileParts {
  documents?: RecordSource<Document>;
  queries?: RecordSource<Query>;
  examples?: ExampleSource;
}

export interface FileOptions {
  /** What the records of a file of no special format (JSON, CSV, TSV) are. */
  role: 'documents' | 'queries';
  fields: FieldNames;
  /** The columns' names of a table without a header line. */
  columns?: string[];
  /** Between the cells of CSV. Default: a comma. */
  delimiter?: string;
  topicPart?: TopicPart;
}

const TABS = { delimiter: '\t', quotes: false };

/** How each format of a single file is opened. */
export const FILE_READERS: Record<FileFormatName, (file: string, options: FileOptions) => FileParts> = {
  jsonl: (file, { role, fields }) =>
    role === 'queries'
      ? { queries: jsonlQueries(file, fields) }
      : { documents: jsonlDocuments(file, fields) },
  json: openJson,
  csv: (file, options) => openTable(file, { delimiter: options.delimiter ?? ',', quotes: true }, options),
  tsv: (file, options) => openTable(file, TABS, options),
  'trec-topics': (file, { topicPart }) => ({ queries: trecTopics(file, topicPart) }),
  'msmarco-passages': (file) => ({ documents: msmarcoPassages(file) }),
  'msmarco-documents': (file) => ({ documents: msmarcoDocuments(file) }),
  'msmarco-queries': (file) => ({ queries: msmarcoQueries(file) }),
  'msmarco-triples': (file) => ({ examples: msmarcoTriples(file) }),
  'msmarco-triple-ids': (file) => ({ examples: msmarcoTripleIds(file) }),
  'msmarco-top1000': (file) => msmarcoTop1000(file),
  'dpr-passages': (file, options) => openTable(file, { delimiter: '\t', quotes: true }, options),
  dpr: (file) => ({ examples: dprExamples(file) }),
  'dpr-jsonl': (file) => ({ examples: dprExamples(file, { lines: true }) }),
  tevatron: (file) => ({ examples: tevatronExamples(file) }),
  flagembedding: (file) => ({ examples: flagEmbeddingExamples(file) }),
  colbert: (file) => ({ examples: colbertExamples(file) }),
  'sentence-transformers': (file) => ({ examples: tripletExamples(file) }),
  'sentence-transformers-csv': (file) => ({
    examples: tripletExamples(file, { delimiter: ',', quotes: true }),
  }),
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
