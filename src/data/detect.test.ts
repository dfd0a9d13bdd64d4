import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Detected, detectFormat } from './detect.js';
import type { FileOptions } from './formats.js';
import { openDataset } from './open.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-detect-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function detect(
  content: string,
  name = 'file',
  role: FileOptions['role'] = 'documents',
): Promise<Detected> {
  await writeFile(join(folder, name), content);
  return detectFormat(join(folder, name), role);
}

test.each<[string, string, Detected]>([
  ['{"_id": "1", "text": "a"}', 'x', { format: 'jsonl' }],
  ['\n\n{"question": "q", "positive_ctxs": []}', 'x', { format: 'dpr-jsonl' }],
  ['[\n{"question": "q", "positive_ctxs": []}]', 'x', { format: 'dpr' }],
  ['[{"id": 1, "text": "a"}]', 'x', { format: 'json' }],
  ['[1, 2, 3]\n[4, 5, 6]', 'x', { format: 'colbert' }],
  ['{"query": "q", "pos": ["a"]}', 'x', { format: 'flagembedding' }],
  ['{"query_id": 1, "positive_document_ids": []}', 'x', { format: 'tevatron' }],
  ['{"anchor": "q", "positive": "a"}', 'x', { format: 'sentence-transformers' }],
  ['<top>\n<num> 1', 'x', { format: 'trec-topics' }],
  ['<?xml version="1.0"?>\n<topics>\n<topic number="1">', 'x', { format: 'trec-topics' }],
  ['sku,name\r1,a\r', 'x.csv', { format: 'csv' }],
  ['7\tsome text', 'x', { format: 'tsv', columns: ['id', 'text'] }],
  ['id\ttitle\ttext', 'x', { format: 'tsv' }],
  ['id\ttext\ttitle', 'x', { format: 'dpr-passages' }],
  ['1\t2\t3', 'x', { format: 'msmarco-triple-ids' }],
  ['a query\ta text\tanother text', 'x', { format: 'msmarco-triples' }],
  ['D1\thttps://example.org\ttitle\tbody', 'x', { format: 'msmarco-documents' }],
  ['1\t2\ta query\ta passage', 'x', { format: 'msmarco-top1000' }],
  ['sku,name', 'x.csv', { format: 'csv' }],
  ['sku;name', 'x.csv', { format: 'csv', delimiter: ';' }],
  ['anchor,positive,negative', 'x.csv', { format: 'sentence-transformers-csv' }],
  ['Question,Answer', 'x.csv', { format: 'sentence-transformers-csv' }],
  ['"Question","The Answer",Response', 'x.csv', { format: 'sentence-transformers-csv' }],
  ['PROMPT;Completion', 'x.csv', { format: 'sentence-transformers-csv', delimiter: ';' }],
  ['question\tanswer\nwhat is it?\tit is', 'x.tsv', { format: 'sentence-transformers-csv', delimiter: '\t' }],
  ['title,body', 'x.csv', { format: 'sentence-transformers-csv' }],
  ['id,title,body', 'x.csv', { format: 'csv' }],
  ['{"Input": "q", "Output": "a"}', 'x', { format: 'sentence-transformers' }],
  ['[\n {"query": "q",\n "document": "a {}"}]', 'x', { format: 'sentence-transformers-json' }],
])('%j', async (content, name, expected) => {
  expect(await detect(content, name)).toEqual(expected);
});

test('what cannot be told is an error that lists the formats', async () => {
  await expect(detect('')).rejects.toThrow(/the file is empty/);
  await expect(detect('\r\r')).rejects.toThrow(/the file is empty/);
  await expect(detect('just some words')).rejects.toThrow(/cannot tell the format from "just some words"/);
  await expect(detect('<!DOCTYPE html>\n<title>404</title>')).rejects.toThrow(
    /cannot tell the format from "<!DOCTYPE html>"/,
  );
});

test('files of other programs are errors that say what to do', async () => {
  await expect(detect('PK', 'faq.xls')).rejects.toMatchObject({ hint: expect.stringContaining('as CSV') });
  await expect(detect('PK', 'a.DOCX')).rejects.toMatchObject({
    hint: expect.stringContaining('as PDF'),
  });
});

test('semicolons separate, too', async () => {
  await writeFile(join(folder, 'shop.csv'), 'id;text\n1;"a; b"\n');
  const documents = [];
  for await (const document of (await openDataset(join(folder, 'shop.csv'))).documents())
    documents.push(document);
  expect(documents).toEqual([{ id: '1', text: 'a; b' }]);
});

test.each<[name: string, content: string, message: string, hint: string]>([
  [
    'x.tsv',
    'frage\tantwort\nwas ist das?\tein Haus',
    'columns found: frage, antwort',
    '--query-field frage --document-field antwort',
  ],
  [
    'x.tsv',
    'was ist das?\tein Haus',
    'expected ids in the first of two columns, got texts',
    '--columns query,document',
  ],
  [
    'x.csv',
    'id,Query,Text\n1,a,b',
    'columns found: id, Query, Text',
    '--query-field Query --document-field Text',
  ],
  [
    'x.jsonl',
    '{"id": 1, "question": "a", "text": "b"}',
    'pairs, or documents?',
    'documents: --text-field text',
  ],
])('%s %j: only a person can know', async (name, content, message, hint) => {
  await expect(detect(content, name)).rejects.toMatchObject({
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  });
});

test('any two columns are pairs where that is said', async () => {
  const file = join(folder, 'clicks.csv');
  await writeFile(file, 'Asked;Opened;when\n"one; two";first page;1\nthree;second page;2\n');
  const dataset = await openDataset(file, { pair: { query: 'asked', document: 'Opened' } });
  const [queries, documents]: string[][] = [[], []];
  for await (const { text } of dataset.queries()) queries.push(text);
  for await (const { text } of dataset.documents()) documents.push(text);
  expect([queries, documents]).toEqual([
    ['one; two', 'three'],
    ['first page', 'second page'],
  ]);
  expect((await dataset.qrels('train')).size).toBe(2);
  await expect(openDataset(file, { pair: { query: 'ask', document: 'Opened' } })).rejects.toMatchObject({
    message: `${file}: no column "ask"; columns found: Asked, Opened, when`,
    hint: 'name one of them with --query-field',
  });
  const named = await openDataset(file, { fields: { text: ['Opened'], id: 'when' } });
  for await (const { id } of named.documents()) expect(['1', '2']).toContain(id);
});
