import { isObject } from '../../base/is-object.js';
import { contentId } from '../content-id.js';
import type { RecordContext } from '../problem.js';
import type { ExampleDocument, ExampleSource, RawExample } from '../sources.js';
import { toId } from './fields.js';
import { jsonArraySource } from './json-array.js';
import { lineSource, parseObject } from './record-lines.js';

/**
 * DPR's training files: a JSON list (or JSON lines) of `question`, `answers`, `positive_ctxs`, `negative_ctxs`,
 * `hard_negative_ctxs`. Hard negatives come first among the negatives. Passages and questions without an id get
 * one from their text.
 */
export function dprExamples(file: string, options: { lines?: boolean } = {}): ExampleSource {
  const source = options.lines
    ? lineSource(file, (text, at) => {
        const fields = parseObject(text, at);
        return fields && parseExample(fields, at);
      })
    : jsonArraySource(file, parseExample);
  return { ...source, embeds: { documents: true, queries: true } };
}

function parseExample(fields: unknown, at: RecordContext): RawExample | undefined {
  if (!isObject(fields))
    return at.error('wrong-type', 'expected an object with "question" and "positive_ctxs"');
  const { question, answers } = fields;
  if (typeof question !== 'string') return at.wrongType('question', 'a string', question);
  if (answers !== undefined && !isListOfStrings(answers)) {
    return at.wrongType('answers', 'a list of texts', answers, 'put it in brackets: ["…"]');
  }
  const positives = readContexts(fields, 'positive_ctxs', at);
  const hard = readContexts(fields, 'hard_negative_ctxs', at);
  const random = readContexts(fields, 'negative_ctxs', at);
  if (!positives || !hard || !random) return undefined;
  const id =
    fields.query_id === undefined ? contentId('query', question) : toId(fields.query_id, 'query_id', at);
  if (id === undefined) return undefined;
  const query = { id, text: question, ...(answers !== undefined && { metadata: { answers } }) };
  return { query, positives, negatives: [...hard, ...random] };
}

function readContexts(
  fields: Record<string, unknown>,
  name: string,
  at: RecordContext,
): ExampleDocument[] | undefined {
  const contexts = fields[name] ?? (name === 'positive_ctxs' ? undefined : []);
  if (!Array.isArray(contexts)) return at.wrongType(name, 'a list of passages', contexts);
  const documents: ExampleDocument[] = [];
  for (const [i, context] of contexts.entries()) {
    const document = readContext(context, `${name}[${i}]`, at);
    if (!document) return undefined;
    documents.push(document);
  }
  return documents;
}

function readContext(context: unknown, field: string, at: RecordContext): ExampleDocument | undefined {
  if (!isObject(context)) return at.wrongType(field, 'an object with "title" and "text"', context);
  const { text, title = '' } = context;
  if (typeof text !== 'string') return at.wrongType(`${field}.text`, 'a string', text);
  if (typeof title !== 'string') return at.wrongType(`${field}.title`, 'a string', title);
  const givenId = context.passage_id ?? context.psg_id;
  const hasId = givenId !== undefined && givenId !== '';
  const id = hasId ? toId(givenId, `${field}.passage_id`, at) : contentId('document', `${title}\n${text}`);
  if (id === undefined) return undefined;
  // Files written by DPR's retriever hold the scores as texts.
  const score = context.score === undefined ? undefined : Number(context.score);
  if (score !== undefined && !Number.isFinite(score)) {
    return at.wrongType(`${field}.score`, 'a number', context.score);
  }
  return { document: { id, title, text }, ...(score !== undefined && { score }) };
}

function isListOfStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
