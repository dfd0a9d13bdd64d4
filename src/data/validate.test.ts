import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatProblem } from './problem.js';
import { type ValidateOptions, type ValidationReport, validateDataset } from './validate.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-validate-'));
});
afterEach(() => rm(folder, { recursive: true }));

const GOOD = {
  'corpus.jsonl': '{"_id":"d1","title":"","text":"one"}\n{"_id":"d2","title":"t","text":""}\n',
  'queries.jsonl': '{"_id":"q1","text":"first"}\n',
  'qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq1\td1\t1\n',
};

async function validate(
  files: Record<string, string | Uint8Array>,
  options?: ValidateOptions,
  path = '',
): Promise<ValidationReport> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return validateDataset(join(folder, path), options);
}

function messages(report: ValidationReport): string[] {
  return report.problems.map((problem) => formatProblem(problem).replace(`${folder}/`, ''));
}

test('a good collection has no problems', async () => {
  const report = await validate(GOOD);
  expect(messages(report)).toEqual([]);
  expect(report).toMatchObject({
    format: 'beir',
    errors: 0,
    warnings: 0,
    checked: { documents: 2, queries: 1, judgments: 1, examples: 0 },
  });
});

test('a corpus without documents is an error, as it is for an import', async () => {
  const report = await validate({ ...GOOD, 'corpus.jsonl': '\n' });
  expect(messages(report)).toContain('corpus.jsonl: expected documents, got none');
});

test('a judged id that cannot be written as judgments is an error, as it is for an import', async () => {
  const report = await validate({
    ...GOOD,
    'corpus.jsonl': '{"_id":"a\\tb","text":"one"}\n',
    'qrels/test.tsv': '{"qid":"q1","docid":"a\\tb","relevance":1}\n',
  });
  expect(messages(report)).toContain(
    'qrels/test.tsv:1: field "corpus-id": the id "a\\tb": expected no tabs or line breaks',
  );
});

describe('names file, line and field', () => {
  const corpus = (line: string): Record<string, string> => ({
    'corpus.jsonl': `${GOOD['corpus.jsonl']}${line}\n`,
  });
  test.each<[string, Record<string, string | Uint8Array>, string]>([
    [
      'duplicate id',
      corpus('{"_id":"d1","text":"again"}'),
      'corpus.jsonl:3: the id "d1" is taken by a line before',
    ],
    ['empty text', corpus('{"_id":"d3","text":" "}'), 'corpus.jsonl:3: field "text": empty text'],
    [
      'wrong type',
      corpus('{"_id":"d3","text":["a"]}'),
      'corpus.jsonl:3: field "text": expected a string, got an array of 1',
    ],
    [
      'wrong title',
      corpus('{"_id":"d3","text":"a","title":7}'),
      'corpus.jsonl:3: field "title": expected a string, got a number (7)',
    ],
    [
      'metadata without an end',
      corpus(`{"_id":"d3","text":"a","where":${'{"in":'.repeat(5000)}1${'}'.repeat(5000)}}`),
      'corpus.jsonl:3: field "where": expected objects and arrays at most 100 deep in each other, got more',
    ],
    [
      'wrong metadata',
      corpus('{"_id":"d3","text":"a","metadata":"x"}'),
      'corpus.jsonl:3: field "metadata": expected an object, got the text "x"',
    ],
    [
      'missing text',
      corpus('{"_id":"d3","body_":"a"}'),
      'corpus.jsonl:3: field "text": missing; the record has: _id, body_',
    ],
    ['missing id', corpus('{"text":"a"}'), 'corpus.jsonl:3: field "_id": missing; the record has: text'],
    [
      'empty id',
      corpus('{"_id":"","text":"a"}'),
      'corpus.jsonl:3: field "_id": expected an id, got an empty text',
    ],
    ['no object', corpus('["a"]'), 'corpus.jsonl:3: expected a JSON object, got an array'],
    [
      'an id that would become another',
      corpus('{"_id":9007199254740993,"text":"a"}'),
      'corpus.jsonl:3: field "_id": expected a number that can be kept as it is, got 9007199254740993',
    ],
    [
      'metadata that would become another number',
      corpus('{"_id":"d3","text":"a","metadata":{"sku":[1,12345678901234567890]}}'),
      'corpus.jsonl:3: field "metadata.sku[1]": expected a number that can be kept as it is, got 12345678901234567890',
    ],
    [
      'metadata that would become null',
      corpus('{"_id":"d3","text":"a","price":1e999}'),
      'corpus.jsonl:3: field "price": expected a number that can be kept as it is, got 1e999',
    ],
    [
      'a judgment of a document whose id would become another',
      {
        'qrels/test.tsv':
          '{"qid":"q1","docid":"d1","relevance":1}\n{"qid":"q1","docid":9007199254740993,"relevance":1}\n',
      },
      'qrels/test.tsv:2: field "docid": expected a number that can be kept as it is, got 9007199254740993',
    ],
    [
      'a score that would become null',
      {
        'examples/train.jsonl': '{"query_id":"q1","positive_document_ids":["d1"],"positive_scores":[1e999]}',
      },
      'examples/train.jsonl:1: field "positive_scores[0]": expected a number that can be kept as it is, got 1e999',
    ],
    [
      'broken UTF-8',
      {
        'corpus.jsonl': Buffer.concat([
          Buffer.from(`${GOOD['corpus.jsonl']}{"_id":"d3","text":"`),
          Buffer.from([0xe9]),
          Buffer.from('"}\n'),
        ]),
      },
      'corpus.jsonl:3: not valid UTF-8',
    ],
    [
      'unknown document',
      { 'qrels/test.tsv': 'q1\td9\t1\nq1\td1\t1\n' },
      'qrels/test.tsv:1: field "corpus-id": points to document "d9", which does not exist',
    ],
    [
      'unknown query',
      { 'qrels/test.tsv': 'q9\td1\t1\n' },
      'qrels/test.tsv:1: field "query-id": points to query "q9", which does not exist',
    ],
    [
      'contradiction',
      { 'qrels/test.tsv': 'q1\td1\t1\nq1\td1\t2\n' },
      'qrels/test.tsv:2: query "q1", document "d1": judged 1 and 2',
    ],
    [
      'repetition',
      { 'qrels/test.tsv': 'q1\td1\t1\nq1\td1\t1\n' },
      'qrels/test.tsv:2: query "q1", document "d1": judged twice, with the same grade',
    ],
    [
      'no positive',
      { 'qrels/test.tsv': 'q1\td1\t0\n' },
      'qrels/test.tsv: query "q1" has no relevant document',
    ],
    ['empty split', { 'qrels/test.tsv': 'query-id\tcorpus-id\tscore\n' }, 'qrels/test.tsv: no judgments'],
    [
      'example points nowhere',
      {
        'examples/train.jsonl':
          '{"query_id":"q1","positive_document_ids":["d1"],"negative_document_ids":["d7"]}',
      },
      'examples/train.jsonl:1: field "negatives": points to document "d7", which does not exist',
    ],
    [
      'positive as negative',
      {
        'examples/train.jsonl':
          '{"query_id":"q1","positive_document_ids":["d1"],"negative_document_ids":["d1"]}',
      },
      'examples/train.jsonl:1: field "negatives": document "d1" is positive and negative at once',
    ],
    [
      'scores of another length',
      { 'examples/train.jsonl': '{"query_id":"q1","positive_document_ids":["d1"],"positive_scores":[1,2]}' },
      'examples/train.jsonl:1: field "positive_scores": expected 1 scores, got 2',
    ],
  ])('%s', async (_, files, message) => {
    const report = await validate({ ...GOOD, ...files });
    expect(messages(report)).toEqual([message]);
    expect(report.errors + report.warnings).toBe(1);
  });

  test('broken JSON', async () => {
    const report = await validate({ ...GOOD, ...corpus('{"_id":"d3",') });
    expect(messages(report)).toEqual([expect.stringMatching(/^corpus\.jsonl:3: not valid JSON: /)]);
  });

  test('pos given as a text instead of a list, once although the file is read three times', async () => {
    const content = '{"query":"q","pos":["a"],"neg":["b"]}\n{"query":"r","pos":"a text","neg":["b"]}\n';
    const report = await validate({ 'train.jsonl': content }, {}, 'train.jsonl');
    expect(messages(report)).toEqual([
      'train.jsonl:2: field "pos": expected a list of texts, got the text "a text"',
    ]);
    expect(report.problems[0].hint).toMatch(/brackets/);
    expect(report.checked).toEqual({ documents: 2, queries: 1, judgments: 0, examples: 1 });
  });

  test('one id with two texts in a training file', async () => {
    const example = (query: string, text: string): string =>
      JSON.stringify({ query_id: query, query: 'q', positive_passages: [{ docid: 'd', text }] });
    const content = [example('1', 'one'), example('2', 'one'), example('3', 'two')].join('\n');
    const report = await validate({ 'train.jsonl': content }, {}, 'train.jsonl');
    expect(messages(report)).toEqual(['train.jsonl:3: the id "d" had another text before; the first counts']);
    expect(report).toMatchObject({ errors: 0, warnings: 1 });
  });

  test('missing queries', async () => {
    const { 'queries.jsonl': _, ...files } = GOOD;
    const report = await validate(files);
    expect(report.codes).toEqual({ 'missing-file': 1, 'unknown-query': 1 });
  });
});

test('lists up to max, counts all, and stops at the first error when asked', async () => {
  const corpus = Array.from({ length: 50 }, () => '{"_id":"same","text":"a"}').join('\n');
  const report = await validate({ ...GOOD, 'corpus.jsonl': corpus }, { max: 5 });
  expect(report.problems).toHaveLength(5);
  expect(report.errors).toBe(50);
  expect(report.codes).toEqual({ 'duplicate-id': 49, 'unknown-document': 1 });
  const first = await validate({}, { first: true });
  expect(first).toMatchObject({ errors: 1, stopped: true });
});
