import type { Document, Query } from '../dataset.js';
import type { RecordSource } from '../sources.js';
import { type FieldNames, toDocument, toQuery } from './fields.js';
import { lineSource, parseObject } from './record-lines.js';

/** Documents, one JSON object a line. */
export function jsonlDocuments(file: string, names: FieldNames = {}): RecordSource<Document> {
  return lineSource(file, (text, at) => {
    const fields = parseObject(text, at);
    return fields && toDocument(fields, names, at);
  });
}

/** Queries, one JSON object a line. */
export function jsonlQueries(file: string, names: FieldNames = {}): RecordSource<Query> {
  return lineSource(file, (text, at) => {
    const fields = parseObject(text, at);
    return fields && toQuery(fields, names, at);
  });
}
