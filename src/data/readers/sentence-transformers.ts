import { isObject } from '../../base/is-object.js';
import { contentId } from '../content-id.js';
import type { RecordContext } from '../problem.js';
import type { ExampleDocument, ExampleSource, RawExample } from '../sources.js';
import { fieldAt, fieldNames } from './field-path.js';
import { jsonArraySource } from './json-array.js';
import { judgedWrong, negativeNames, type PairFields, usualPair } from './pair-fields.js';
import { lineSource, parseObject, readScores } from './record-lines.js';
import { type TableOptions, tableSource } from './table.js';

export interface TripletOptions {
  /** How the table is written; JSON lines when left out. */
  table?: TableOptions;
  /** The file is one JSON list. */
  list?: boolean;
  /** What the two sides are called. Default: the usual names. */
  pair?: PairFields;
}

const NO_PAIR: PairFields = { query: 'anchor', document: 'positive' };

/**
 * Pairs and triplets: the columns of sentence-transformers (`anchor`, `positive`, `negative` or `negative_1`,
 * `negative_2`, …, and optionally `scores`, one for the positive and each negative), or others that are usual for
 * questions and answers; as JSON lines, as a JSON list, or as a table.
 */
export function tripletExamples(file: string, { table, list, pair }: TripletOptions = {}): ExampleSource {
  let columns: string | undefined;
  const parse = (fields: Record<string, unknown>, at: RecordContext) => {
    columns ??= describeColumns(fields, pair);
    return parseExample(fields, pair, at);
  };
  return {
    ...(table ? tableSource(file, table, parse) : jsonSource(file, list === true, parse)),
    embeds: { documents: true, queries: true },
    columns: () => columns,
  };
}

/** What was read of the columns: of several that may be meant, somebody should know which were. */
function describeColumns(fields: Record<string, unknown>, wanted: PairFields | undefined): string {
  const names = Object.keys(fields);
  const { query, document } = wanted ?? usualPair(names) ?? NO_PAIR;
  const used = [query, document].map((name) => name.toLowerCase());
  const others = names.filter((name) => !used.includes(name.toLowerCase()) && !negativeNames([name]).length);
  return `pairs: "${query}" asks, "${document}" answers${others.length === 0 ? '' : `; other columns: ${others.join(', ')}`}`;
}

type ParseFields = (fields: Record<string, unknown>, at: RecordContext) => RawExample | undefined;

function jsonSource(file: string, list: boolean, parse: ParseFields) {
  if (list) {
    return jsonArraySource(file, (value, at) =>
      isObject(value) ? parse(value, at) : at.error('wrong-type', 'expected an object'),
    );
  }
  return lineSource(file, (text, at) => {
    const fields = parseObject(text, at);
    return fields && parse(fields, at);
  });
}

function parseExample(
  fields: Record<string, unknown>,
  wanted: PairFields | undefined,
  at: RecordContext,
): RawExample | undefined {
  const names = Object.keys(fields);
  const pair = wanted ?? usualPair(names) ?? NO_PAIR;
  const queries = readTexts(fields, pair.query, '--query-field', at);
  const positives = readTexts(fields, pair.document, '--document-field', at);
  const negatives = negativeNames(names).map((name) => readTexts(fields, name, '--document-field', at));
  if (!queries || !positives || !negatives.every((texts) => texts !== undefined)) return undefined;
  const [query] = queries;
  if (queries.length !== 1) return at.wrongType(pair.query, 'one text', queries);
  if (positives.length === 0) return at.wrongType(pair.document, 'a text, or several in a list', positives);
  if ([query, ...positives].some((text) => text.trim() === '')) {
    // A table of people has such rows; a question without words would be learned from and measured with.
    const field = query.trim() === '' ? pair.query : pair.document;
    return at.warning('empty-text', 'an empty text: the pair is left out', { field });
  }
  const label = judgedWrong(fields);
  if (label !== undefined) {
    return at.warning('judged-wrong', `${fields[label]}: judged as wrong, the pair is left out`, {
      field: label,
    });
  }
  const texts = [...positives, ...negatives.flat()];
  const scores = readScores(fields, 'scores', texts.length, at);
  if (!scores) return undefined;
  const documents = texts.map((text, i): ExampleDocument => {
    const document = { id: contentId('document', text), text };
    return scores[i] === undefined ? { document } : { document, score: scores[i] };
  });
  return {
    query: { id: contentId('query', query), text: query },
    positives: documents.slice(0, positives.length),
    negatives: documents.slice(positives.length),
  };
}

/** The text of a field, or its texts where it holds several. */
function readTexts(
  fields: Record<string, unknown>,
  wanted: string,
  flag: string,
  at: RecordContext,
): string[] | undefined {
  const found = fieldAt(fields, wanted);
  if (found === undefined) {
    return at.error('missing-field', `missing; the record has: ${fieldNames(fields).join(', ') || 'none'}`, {
      field: wanted,
      hint: `name the right one with ${flag}`,
    });
  }
  const { name, value } = found;
  if (typeof value === 'string') return [value];
  if (Array.isArray(value) && value.every((text) => typeof text === 'string')) return value;
  return at.wrongType(name, 'a text, or several in a list', value);
}
