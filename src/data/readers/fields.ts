import { isObject } from '../../base/is-object.js';
import type { Document, Query } from '../dataset.js';
import type { RecordContext } from '../problem.js';
import { type Found, fieldAt, fieldNames, withoutFields } from './field-path.js';
import { likelyPair } from './pair-fields.js';

/**
 * Which fields (or columns) of a record hold what, `a.b` where one stands inside another; what is left out is found by its
 * usual names.
 */
export interface FieldNames {
  /** Default: the first present of `_id`, `id`, `docid`, `doc_id`, `pid`, … */
  id?: string;
  /** Several are joined by a blank. Default: the first present of `text`, `contents`, `document_text`, … */
  text?: string[];
  /** Default: `title`. */
  title?: string;
  /** Take the number of the line as the id: always, or because a file's first record has none. */
  lineIds?: boolean | 'no-ids';
}

/** What the records of a file are. */
export type Role = 'documents' | 'queries';

const USUAL_IDS: Record<Role, string[]> = {
  documents: ['_id', 'id', 'docid', 'doc_id', 'document_id', 'pid', 'passage_id', 'psg_id'],
  queries: ['_id', 'id', 'query_id', 'qid', 'query-id'],
};
const USUAL_TEXTS: Record<Role, string[]> = {
  documents: ['text', 'contents', 'document_text', 'content', 'body', 'passage'],
  queries: ['text', 'query', 'query_text', 'question', 'title'],
};
const TITLES = ['title'];
const MOST_SHOWN = 12;
/** The code of a problem that all records of a file have: nobody knows what its fields are. */
export const UNKNOWN_FIELDS = 'unknown-fields';

/** Whether a record has a text by its usual name, or by the one that was said, and no id. */
export function hasTextAlone(fields: Fields, names: FieldNames, role: Role): boolean {
  const hasText = names.text !== undefined || pick(fields, undefined, USUAL_TEXTS[role]) !== undefined;
  return hasText && pick(fields, names.id, USUAL_IDS[role]) === undefined && names.id === undefined;
}

type Fields = Record<string, unknown>;

/** Makes a document of a record; the fields that were not asked for become its metadata. */
export function toDocument(fields: Fields, names: FieldNames, at: RecordContext): Document | undefined {
  const id = readId(fields, names, 'documents', at);
  const text = readText(fields, names, 'documents', at);
  if (id === undefined || text === undefined) return undefined;
  const titleField = pick(fields, names.title, TITLES);
  const title = titleField && (titleField.value ?? '');
  if (title !== undefined && typeof title !== 'string')
    return at.wrongType(titleField!.name, 'a string', title);
  if (text.value.trim() === '' && !title?.trim()) warnEmpty(text.fields[0], at);
  const metadata = readMetadata(fields, [id.field, titleField?.name, ...text.fields], at);
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
  const id = readId(fields, names, 'queries', at);
  const text = readText(fields, names, 'queries', at);
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
  role: Role,
  at: RecordContext,
): { value: string; field?: string } | undefined {
  if (names.lineIds === true) return { value: String(at.line) };
  const field = pick(fields, names.id, USUAL_IDS[role]);
  if (names.lineIds === 'no-ids') {
    if (field === undefined) return { value: String(at.line) };
    return at.error('mixed-ids', `has an id ("${field.name}"), but the first record has none`, {
      hint: 'give all an id, or none; --line-ids takes the number of the line for all',
    });
  }
  if (field === undefined) return missingId(fields, names, role, at);
  const value = toId(field.value, field.name, at);
  return value === undefined ? undefined : { value, field: field.name };
}

function readText(
  fields: Fields,
  names: FieldNames,
  role: Role,
  at: RecordContext,
): { value: string; fields: string[] } | undefined {
  const usual = USUAL_TEXTS[role];
  const wanted = names.text ?? [pick(fields, undefined, usual)?.name ?? usual[0]];
  const parts: string[] = [];
  const used: string[] = [];
  for (const each of wanted) {
    const field = fieldAt(fields, each);
    if (field?.value === undefined) return missing(fields, each, '--text-field', at);
    if (typeof field.value !== 'string') return at.wrongType(field.name, 'a string', field.value);
    parts.push(field.value);
    used.push(field.name);
  }
  return { value: parts.join(' '), fields: used };
}

/** Beyond any record that means something, and far from where JSON cannot be written any more. */
const MOST_DEPTH = 100;

function isDeep(value: unknown, left: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return left === 0 || Object.values(value).some((inner) => isDeep(inner, left - 1));
}

function readMetadata(
  fields: Fields,
  used: (string | undefined)[],
  at: RecordContext,
): Record<string, unknown> | undefined | false {
  const names = used.filter((name) => name !== undefined);
  const { metadata: own = {}, ...others } = withoutFields(fields, names);
  if (own !== null && !isObject(own)) {
    at.wrongType('metadata', 'an object', own);
    return false;
  }
  const metadata = { ...others, ...own };
  const deep = Object.keys(metadata).find((name) => isDeep(metadata[name], MOST_DEPTH));
  if (deep !== undefined) {
    at.error('too-deep', `expected objects and arrays at most ${MOST_DEPTH} deep in each other, got more`, {
      field: deep,
    });
    return false;
  }
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}

/** The field that was named, or the first present of the usual ones; people write them in any case. */
function pick(fields: Fields, named: string | undefined, usual: string[]): Found | undefined {
  if (named !== undefined) return fieldAt(fields, named);
  const exact = usual.find((name) => Object.hasOwn(fields, name));
  if (exact !== undefined) return { name: exact, value: fields[exact] };
  for (const name of usual) {
    const found = fieldAt(fields, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where the text is not known either, no id is what is missing: someone has to say what the fields are. */
function missingId(fields: Fields, names: FieldNames, role: Role, at: RecordContext): undefined {
  const isKnown = names.id !== undefined || names.text !== undefined || role === 'queries';
  if (isKnown || pick(fields, undefined, USUAL_TEXTS[role]) !== undefined) {
    return missing(fields, names.id ?? USUAL_IDS[role][0], '--id-field (or --line-ids)', at);
  }
  const { query: first, document: second } = likelyPair(fields);
  const pairs = second && `pairs: --query-field ${quoted(first!)} --document-field ${quoted(second)}; `;
  return at.error(UNKNOWN_FIELDS, `cannot tell what it holds; fields found: ${shown(fields)}`, {
    hint: `say so to nearmiss data import: ${pairs ?? ''}documents: --text-field ${quoted(second ?? first ?? 'NAME')}; a table whose first line holds no names: --columns query,document`,
  });
}

function missing(fields: Fields, field: string, flag: string, at: RecordContext): undefined {
  return at.error('missing-field', `missing; the record has: ${shown(fields)}`, {
    field,
    hint: `name the right field with ${flag}`,
  });
}

function shown(fields: Fields): string {
  return fieldNames(fields).slice(0, MOST_SHOWN).join(', ') || 'none';
}

/** A field's name as a shell takes it. */
export function quoted(name: string): string {
  return /^[\p{L}\p{N}_.-]+$/u.test(name) ? name : JSON.stringify(name);
}

function warnEmpty(field: string, at: RecordContext): void {
  at.warning('empty-text', 'empty text', { field, hint: 'an empty text can never be found or asked' });
}
