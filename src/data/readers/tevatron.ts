import { isObject } from '../../base/is-object.js';
import type { RecordContext } from '../problem.js';
import type { ExampleDocument, ExampleSource, RawExample } from '../sources.js';
import { toId } from './fields.js';
import { lineSource, parseObject, readScores } from './record-lines.js';

type Fields = Record<string, unknown>;

/**
 * Tevatron's training files, one JSON object a line. Version 1 holds the texts: `query_id`, `query`,
 * `positive_passages`, `negative_passages`; version 2 the ids: `query_id`, `query_text`, `positive_document_ids`,
 * `negative_document_ids`. We add `positive_scores` and `negative_scores` to version 2.
 */
export function tevatronExamples(file: string, embeds = { documents: true, queries: true }): ExampleSource {
  return { ...lineSource(file, parseExample), embeds };
}

function parseExample(text: string, at: RecordContext): RawExample | undefined {
  const fields = parseObject(text, at);
  if (!fields) return undefined;
  const queryId = toId(fields.query_id, 'query_id', at);
  if (queryId === undefined) return undefined;
  const queryField = 'query_text' in fields ? 'query_text' : 'query';
  const queryText = fields[queryField];
  if (queryText !== undefined && typeof queryText !== 'string')
    return at.wrongType(queryField, 'a string', queryText);
  const withTexts = 'positive_passages' in fields;
  const positives = withTexts
    ? readPassages(fields, 'positive_passages', at)
    : readIds(fields, 'positive_document_ids', 'positive_scores', at);
  const negatives = withTexts
    ? readPassages(fields, 'negative_passages', at)
    : readIds(fields, 'negative_document_ids', 'negative_scores', at);
  if (!positives || !negatives) return undefined;
  return {
    query: { id: queryId, ...(queryText !== undefined && { text: queryText }) },
    positives,
    negatives,
  };
}

function readPassages(fields: Fields, name: string, at: RecordContext): ExampleDocument[] | undefined {
  const passages = fields[name] ?? (name === 'negative_passages' ? [] : undefined);
  if (!Array.isArray(passages)) return at.wrongType(name, 'a list of passages', passages);
  const documents: ExampleDocument[] = [];
  for (const [i, passage] of passages.entries()) {
    const field = `${name}[${i}]`;
    if (!isObject(passage)) return at.wrongType(field, 'an object with docid, title and text', passage);
    const id = toId(passage.docid, `${field}.docid`, at);
    if (id === undefined) return undefined;
    const { text, title = '' } = passage;
    if (typeof text !== 'string') return at.wrongType(`${field}.text`, 'a string', text);
    if (typeof title !== 'string') return at.wrongType(`${field}.title`, 'a string', title);
    documents.push({ document: { id, title, text } });
  }
  return documents;
}

function readIds(
  fields: Fields,
  name: string,
  scoresName: string,
  at: RecordContext,
): ExampleDocument[] | undefined {
  const ids = fields[name] ?? (name === 'negative_document_ids' ? [] : undefined);
  if (!Array.isArray(ids)) return at.wrongType(name, 'a list of ids', ids, 'put it in brackets: ["…"]');
  const scores = readScores(fields, scoresName, ids.length, at);
  if (!scores) return undefined;
  const documents: ExampleDocument[] = [];
  for (const [i, value] of ids.entries()) {
    const id = toId(value, `${name}[${i}]`, at);
    if (id === undefined) return undefined;
    documents.push({ document: { id }, ...(scores[i] !== undefined && { score: scores[i] }) });
  }
  return documents;
}
