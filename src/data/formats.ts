import type { Document, Query } from './dataset.js';
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

interface FileFormat {
  summary: string;
  open(file: string, options: FileOptions): FileParts;
}

const TABS = { delimiter: '\t', quotes: false };

/** Every format of a single file. */
export const FILE_FORMATS = {
  jsonl: {
    summary: 'JSON lines, fields by name',
    open: (file, { role, fields }) =>
      role === 'queries'
        ? { queries: jsonlQueries(file, fields) }
        : { documents: jsonlDocuments(file, fields) },
  },
  json: { summary: 'one JSON list of objects, fields by name', open: openJson },
  csv: {
    summary: 'comma separated, quoted cells',
    open: (file, options) => openTable(file, { delimiter: options.delimiter ?? ',', quotes: true }, options),
  },
  tsv: {
    summary: 'tab separated, no quoting; without a header line: id, text',
    open: (file, options) => openTable(file, TABS, options),
  },
  'trec-topics': {
    summary: '<top> or <topic> blocks: queries',
    open: (file, { topicPart }) => ({ queries: trecTopics(file, topicPart) }),
  },
  'msmarco-passages': {
    summary: 'collection.tsv: pid, text',
    open: (file) => ({ documents: msmarcoPassages(file) }),
  },
  'msmarco-documents': {
    summary: 'msmarco-docs.tsv: docid, url, title, body',
    open: (file) => ({ documents: msmarcoDocuments(file) }),
  },
  'msmarco-queries': {
    summary: 'queries.*.tsv: qid, text',
    open: (file) => ({ queries: msmarcoQueries(file) }),
  },
  'msmarco-triples': {
    summary: 'triples.train.*.tsv: query, positive, negative as texts',
    open: (file) => ({ examples: msmarcoTriples(file) }),
  },
  'msmarco-triple-ids': {
    summary: 'qidpidtriples.*.tsv: qid, pid+, pid-',
    open: (file) => ({ examples: msmarcoTripleIds(file) }),
  },
  'msmarco-top1000': {
    summary: 'top1000.*: qid, pid, query, passage',
    open: (file) => msmarcoTop1000(file),
  },
  'dpr-passages': {
    summary: 'psgs_w100.tsv: id, text, title with a header line and quoted cells',
    open: (file, options) => openTable(file, { delimiter: '\t', quotes: true }, options),
  },
  dpr: {
    summary: 'DPR training: question, answers, positive_ctxs, hard_negative_ctxs',
    open: (file) => ({ examples: dprExamples(file) }),
  },
  'dpr-jsonl': {
    summary: 'the same as JSON lines',
    open: (file) => ({ examples: dprExamples(file, { lines: true }) }),
  },
  tevatron: {
    summary: 'Tevatron training: positive_passages or positive_document_ids',
    open: (file) => ({ examples: tevatronExamples(file) }),
  },
  flagembedding: {
    summary: 'FlagEmbedding training: query, pos, neg',
    open: (file) => ({ examples: flagEmbeddingExamples(file) }),
  },
  colbert: {
    summary: 'ColBERT training: [qid, pid+, pid-] or [qid, [pid, score], …]',
    open: (file) => ({ examples: colbertExamples(file) }),
  },
  'sentence-transformers': {
    summary: 'anchor, positive, negative_1, … as JSON lines',
    open: (file) => ({ examples: tripletExamples(file) }),
  },
  'sentence-transformers-csv': {
    summary: 'the same as CSV',
    open: (file) => ({ examples: tripletExamples(file, { delimiter: ',', quotes: true }) }),
  },
} satisfies Record<string, FileFormat>;

/** The name of a single file's format. */
export type FileFormatName = keyof typeof FILE_FORMATS;

/** Formats that are a whole folder. */
export const FOLDER_FORMATS = {
  beir: 'corpus.jsonl, queries.jsonl, qrels/<split>.tsv',
  msmarco: 'collection.tsv or msmarco-docs.tsv, queries.*.tsv, qrels.*.tsv',
  folder: 'a folder of Markdown, HTML or text files',
};

export type FormatName = FileFormatName | keyof typeof FOLDER_FORMATS;

export function isFileFormat(name: string): name is FileFormatName {
  return Object.hasOwn(FILE_FORMATS, name);
}

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
