import { contentId } from '../content-id.js';
import type { RecordContext } from '../problem.js';
import type { ExampleDocument, ExampleSource, RawExample } from '../sources.js';
import { lineSource, parseObject, readScores } from './record-lines.js';
import { type TableOptions, tableSource } from './table.js';

const QUERY_NAMES = ['anchor', 'query', 'question', 'sentence1'];
const POSITIVE_NAMES = ['positive', 'answer', 'passage', 'sentence2'];
const NEGATIVE_NAME = /^negative(?:_\d+)?$/;

/** Whether records with these fields are training pairs or triplets. */
export function isTriplet(fields: string[]): boolean {
  return [QUERY_NAMES, POSITIVE_NAMES].every((names) => names.some((name) => fields.includes(name)));
}

/**
 * The columns of sentence-transformers: `anchor`, `positive`, `negative` or `negative_1`, `negative_2`, … and
 * optionally `scores`, one for the positive and each negative; as JSON lines, or as a table when one is described.
 */
export function tripletExamples(file: string, table?: TableOptions): ExampleSource {
  const source = table
    ? tableSource(file, table, parseExample)
    : lineSource(file, (text, at) => {
        const fields = parseObject(text, at);
        return fields && parseExample(fields, at);
      });
  return { ...source, embeds: { documents: true, queries: true } };
}

function parseExample(fields: Record<string, unknown>, at: RecordContext): RawExample | undefined {
  const negativeNames = Object.keys(fields).filter((name) => NEGATIVE_NAME.test(name));
  const query = readText(fields, QUERY_NAMES, at);
  const texts = [POSITIVE_NAMES, ...negativeNames.map((name) => [name])].map((names) =>
    readText(fields, names, at),
  );
  if (query === undefined || !texts.every((text) => text !== undefined)) return undefined;
  const scores = readScores(fields, 'scores', texts.length, at);
  if (!scores) return undefined;
  const documents = texts.map((text, i): ExampleDocument => {
    const document = { id: contentId('document', text), text };
    return scores[i] === undefined ? { document } : { document, score: scores[i] };
  });
  return {
    query: { id: contentId('query', query), text: query },
    positives: documents.slice(0, 1),
    negatives: documents.slice(1),
  };
}

function readText(fields: Record<string, unknown>, names: string[], at: RecordContext): string | undefined {
  const name = names.find((candidate) => Object.hasOwn(fields, candidate)) ?? names[0];
  const value = fields[name];
  return typeof value === 'string' ? value : at.wrongType(name, 'a string', value);
}
