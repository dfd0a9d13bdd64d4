import { contentId } from '../content-id.js';
import type { RecordContext } from '../problem.js';
import type { ExampleDocument, ExampleSource, RawExample } from '../sources.js';
import { toId } from './fields.js';
import { lineSource, parseObject, readScores } from './record-lines.js';

/**
 * FlagEmbedding's training files, one JSON object a line: `query`, `pos` and `neg` (lists of texts), optionally
 * `pos_scores`, `neg_scores`, `pos_id`, `neg_id`; other fields become the query's metadata.
 */
export function flagEmbeddingExamples(file: string): ExampleSource {
  return { ...lineSource(file, parseExample), embeds: { documents: true, queries: true } };
}

function parseExample(line: string, at: RecordContext): RawExample | undefined {
  const fields = parseObject(line, at);
  if (!fields) return undefined;
  const { query, query_id, pos, neg, pos_scores, neg_scores, pos_id, neg_id, ...metadata } = fields;
  if (typeof query !== 'string') return at.wrongType('query', 'a string', query);
  const positives = readTexts(fields, 'pos', at);
  const negatives = readTexts(fields, 'neg', at);
  if (!positives || !negatives) return undefined;
  const id = query_id === undefined ? contentId('query', query) : toId(query_id, 'query_id', at);
  if (id === undefined) return undefined;
  const hasMetadata = Object.keys(metadata).length > 0;
  return { query: { id, text: query, ...(hasMetadata && { metadata }) }, positives, negatives };
}

function readTexts(
  fields: Record<string, unknown>,
  name: 'pos' | 'neg',
  at: RecordContext,
): ExampleDocument[] | undefined {
  const texts = fields[name] ?? (name === 'neg' ? [] : undefined);
  if (!Array.isArray(texts)) {
    const hint = 'put it in brackets: ["…"]; without them each character would be taken for a passage';
    return at.wrongType(name, 'a list of texts', texts, typeof texts === 'string' ? hint : undefined);
  }
  const scores = readScores(fields, `${name}_scores`, texts.length, at);
  const ids = readIds(fields[`${name}_id`], `${name}_id`, texts.length, at);
  if (!scores || !ids) return undefined;
  const documents: ExampleDocument[] = [];
  for (const [i, text] of texts.entries()) {
    if (typeof text !== 'string') return at.wrongType(`${name}[${i}]`, 'a string', text);
    const id = ids[i] ?? contentId('document', text);
    documents.push({ document: { id, text }, ...(scores[i] !== undefined && { score: scores[i] }) });
  }
  return documents;
}

function readIds(value: unknown, field: string, length: number, at: RecordContext): string[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length !== length) {
    return at.wrongType(field, `a list of ${length} ids`, value);
  }
  const ids = value.map((item, i) => toId(item, `${field}[${i}]`, at));
  return ids.every((id) => id !== undefined) ? ids : undefined;
}
