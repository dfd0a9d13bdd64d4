import { docPage } from '../../base/package-files.js';
import type { RecordContext } from '../problem.js';
import type { ExampleDocument, ExampleSource, RawExample } from '../sources.js';
import { toId } from './fields.js';
import { lineSource, parseJson } from './record-lines.js';

/**
 * ColBERT's training files, one JSON list a line: `[qid, pid+, pid-, …]`, or with the teacher's scores
 * `[qid, [pid+, score], [pid-, score], …]`. The first document is the positive.
 */
export function colbertExamples(file: string): ExampleSource {
  return { ...lineSource(file, parseExample), embeds: { documents: false, queries: false } };
}

function parseExample(line: string, at: RecordContext): RawExample | undefined {
  const list = parseJson(line, at);
  if (list === undefined) return undefined;
  if (!Array.isArray(list) || list.length < 2) {
    return at.error('wrong-type', 'expected a list of at least two: [qid, pid+, pid-, …]', {
      hint: `see ${docPage('formats')} for the two forms`,
    });
  }
  const [queryId, ...entries] = list;
  const id = toId(queryId, '[0]', at);
  const documents = entries.map((entry, i) => parseDocument(entry, `[${i + 1}]`, at));
  if (id === undefined || !documents.every((document) => document !== undefined)) return undefined;
  return { query: { id }, positives: documents.slice(0, 1), negatives: documents.slice(1) };
}

function parseDocument(entry: unknown, field: string, at: RecordContext): ExampleDocument | undefined {
  const [value, score] = Array.isArray(entry) ? entry : [entry, undefined];
  const id = toId(value, field, at);
  if (id === undefined) return undefined;
  if (score === undefined) return { document: { id } };
  if (typeof score !== 'number') return at.wrongType(`${field}[1]`, 'a number', score);
  return { document: { id }, score };
}
