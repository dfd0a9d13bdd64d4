import type { Document, Query } from '../dataset.js';
import type { RecordContext } from '../problem.js';
import { isObject } from './record-lines.js';

/** Which fields (or columns) of a record hold what; what is left out is found by its usual names. */
export interface FieldNames {
  /** Default: the first present of `_id`, `id`, `docid`, `doc_id`, `pid`, … */
  id?: string;
  /** Several are joined by a blank. Default: the first present of `text`, `contents`, `document_text`, … */
  text?: string[];
  /** Default: `title`. */
  title?: string;
  /** Take the number of the line as the id, for records that have none. */
  lineIds?: boolean;
}

const DOCUMENT_IDS = ['_id', 'id', 'docid', 'doc_id', 'document_id', 'pid', 'passage_id', 'psg_id'];
const DOCUMENT_TEXTS = ['text', 'contents', 'document_text', 'content', 'body', 'passage'];
const QUERY_IDS = ['_id', 'id', 'query_id', 'qid', 'query-id'];
const QUERY_TEXTS = ['text', 'query', 'query_text', 'question', 'title'];
const TITLES = ['title'];

type Fields = Record<string, unknown>;

/** Makes a document of a record; the fields that were not asked for become its metadata. */
export function toDocument(fields: Fields, names: FieldNames, at: RecordContext): Document | undefined {
  const id = readId(fields, names, DOCUMENT_IDS, at);
  const text = readText(fields, names, DOCUMENT_TEXTS, at);
  if (id === undefined || text === undefined) return undefined;
  const titleField = pick(fields, names.title, TITLES);
  const title = titleField === undefined ? undefined : (fields[titleField] ?? '');
  if (title !== undefined && typeof title !== 'string') return at.wrongType(titleField!, 'a string', title);
  if (text.value.trim() === '' && !title?.trim()) warnEmpty(text.fields[0], at);
  const metadata = readMetadata(fields, [id.field, titleField, ...text.fields], at);
  if (metadata === false) return undefined;
  return {
    id: id.value,
    ...(title !== undefined && { title }),
    text: text.value,
    ...(metadata && { metadata }),
  };
}

/** Makes a query of a record; the fields that were not asked for become its metadata. */
export function toQuery(fields: Fields, names: FieldNames, at: RecordContext): Query | undefined {
  const id = readId(fields, names, QUERY_IDS, at);
  const text = readText(fields, names, QUERY_TEXTS, at);
  if (id === undefined || text === undefined) return undefined;
  if (text.value.trim() === '') warnEmpty(text.fields[0], at);
  const metadata = readMetadata(fields, [id.field, ...text.fields], at);
  if (metadata === false) return undefined;
  return { id: id.value, text: text.value, ...(metadata && { metadata }) };
}

/** An id as text: JSON files often hold whole numbers. Undefined after the problem was reported. */
export function toId(value: unknown, field: string, at: RecordContext): string | undefined {
  if (typeof value === 'string') {
    if (value.trim() !== '') return value;
    return at.error('empty-id', 'expected an id, got an empty text', { field });
  }
  if (Number.isSafeInteger(value)) return String(value);
  return at.wrongType(field, 'an id (a text or a whole number)', value);
}

function readId(
  fields: Fields,
  names: FieldNames,
  usual: string[],
  at: RecordContext,
): { value: string; field?: string } | undefined {
  if (names.lineIds) return { value: String(at.line) };
  const field = pick(fields, names.id, usual);
  if (field === undefined)
    return missing(
      fields,
      names.id ?? usual[0],
      '--id-field (or --line-ids; of pairs, both columns with --query-field and --document-field)',
      at,
    );
  const value = toId(fields[field], field, at);
  return value === undefined ? undefined : { value, field };
}

function readText(
  fields: Fields,
  names: FieldNames,
  usual: string[],
  at: RecordContext,
): { value: string; fields: string[] } | undefined {
  const wanted = names.text ?? [pick(fields, undefined, usual) ?? usual[0]];
  const parts: string[] = [];
  for (const field of wanted) {
    const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (value === undefined) return missing(fields, field, '--text-field', at);
    if (typeof value !== 'string') return at.wrongType(field, 'a string', value);
    parts.push(value);
  }
  return { value: parts.join(' '), fields: wanted };
}

function readMetadata(
  fields: Fields,
  used: (string | undefined)[],
  at: RecordContext,
): Record<string, unknown> | undefined | false {
  const { metadata: own = {}, ...others } = fields;
  if (own !== null && !isObject(own)) {
    at.wrongType('metadata', 'an object', own);
    return false;
  }
  const rest = Object.entries(others).filter(([name]) => !used.includes(name));
  const metadata = Object.fromEntries([...rest, ...Object.entries(own ?? {})]);
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}

function pick(fields: Fields, named: string | undefined, usual: string[]): string | undefined {
  const exact = (named === undefined ? usual : [named]).find((name) => Object.hasOwn(fields, name));
  if (exact !== undefined || named !== undefined) return exact;
  // People write them in any case.
  const own = Object.keys(fields);
  for (const name of usual) {
    const found = own.find((field) => field.trim().toLowerCase() === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function missing(fields: Fields, field: string, flag: string, at: RecordContext): undefined {
  const present = Object.keys(fields).slice(0, 12).join(', ') || 'none';
  return at.error('missing-field', `missing; the record has: ${present}`, {
    field,
    hint: `name the right field with ${flag}`,
  });
}

function warnEmpty(field: string, at: RecordContext): void {
  at.warning('empty-text', 'empty text', { field, hint: 'an empty text can never be found or asked' });
}
