import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentId } from '../content-id.js';
import type { FileOptions } from '../formats.js';
import { type OpenOptions, openDataset } from '../open.js';
import { detectFormat } from './detect-format.js';
import type { Detected } from './detected.js';

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
  ['text\tday\na text\t1', 'x', { format: 'tsv', lineIds: 'no-ids' }],
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
  ['title,body,url,author', 'x.csv', { format: 'csv', lineIds: 'no-ids' }],
  ['{"text": "a"}', 'x', { format: 'jsonl', lineIds: 'no-ids' }],
  ['Customer Question,Best Reply (final)', 'x.csv', { format: 'sentence-transformers-csv' }],
  ['question_id;question_text;answer_text', 'x.csv', { format: 'sentence-transformers-csv', delimiter: ';' }],
  ['Frage;Antwort', 'x.csv', { format: 'sentence-transformers-csv', delimiter: ';' }],
  ['question|answer', 'X.CSV', { format: 'sentence-transformers-csv', delimiter: '|' }],
  ['id;"title, text"', 'x.csv', { format: 'csv', delimiter: ';' }],
  ['id;text (long, short);date', 'x.csv', { format: 'csv', delimiter: ';' }],
  ['id\ttext', 'x.csv', { format: 'csv', delimiter: '\t' }],
  ['text\na text', 'x.csv', { format: 'csv', lineIds: 'no-ids' }],
  ['Text\na text', 'x.tsv', { format: 'csv', delimiter: '\t', lineIds: 'no-ids' }],
  ['[{"q": "x", "a": "y"}]', 'x', { format: 'sentence-transformers-json' }],
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

test.each([
  ['{"version": 1, "data": [{"question": "a", "answer": "b"}]}', 'in its field "data"'],
  ['{\n  "version": 1,\n  "data": [{"question": "a", "answer": "b"}]\n}', 'in its field "data"'],
  ['{\n  "question": "a"\n}', 'got one JSON object'],
])('%j: one object around the records says where they are', async (content, message) => {
  await expect(detect(content, 'x.json')).rejects.toMatchObject({
    message: expect.stringContaining(message),
    hint: expect.stringContaining('beginning with ['),
  });
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
    'asked\topened\nwas ist das?\tein Haus',
    'columns found: asked, opened',
    '--query-field asked --document-field opened',
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

async function textsOf(name: string, content: string, options: OpenOptions = {}) {
  await writeFile(join(folder, name), content);
  const dataset = await openDataset(join(folder, name), options);
  const [queries, documents]: string[][] = [[], []];
  for await (const { text } of dataset.queries()) queries.push(text);
  for await (const { text } of dataset.documents()) documents.push(text);
  return { queries, documents };
}

test('fields inside others are named with dots', async () => {
  const chats =
    '{"messages": [{"role": "user", "content": "why?"}, {"role": "assistant", "content": "so"}]}\n';
  const pair = { query: 'messages.0.content', document: 'Messages.1.content' };
  expect(await textsOf('chats.jsonl', chats, { pair })).toEqual({ queries: ['why?'], documents: ['so'] });
  await expect(
    textsOf('chats.jsonl', chats, { pair: { ...pair, query: 'messages.0.text' } }),
  ).rejects.toThrow(
    'columns found: messages.0.role, messages.0.content, messages.1.role, messages.1.content',
  );
  const file = join(folder, 'nested.jsonl');
  await writeFile(file, '{"key": {"n": 7}, "page": {"text": "a", "url": "u"}, "a.b": "c"}\n');
  const options = { fields: { id: 'key.n', text: ['page.text', 'a.b'] } };
  const documents = [];
  for await (const document of (await openDataset(file, options)).documents()) documents.push(document);
  expect(documents).toEqual([{ id: '7', text: 'a c', metadata: { page: { url: 'u' } } }]);
});

test.each([
  [
    '{"messages": [{"role": "system", "content": "be kind"}, {"role": "user", "content": "why?"}, {"role": "assistant", "content": "so"}]}',
    ['messages.1.content', 'messages.2.content'],
  ],
  [
    '{"source": "web", "conversations": [{"from": "human", "value": "why?"}, {"from": "gpt", "value": "so"}]}',
    ['conversations.0.value', 'conversations.1.value'],
  ],
  [
    '{"kind": "faq", "asked for": "why is it so", "said then": "because it is"}',
    ['"asked for"', '"said then"'],
  ],
  ['{"key": "k", "prose": "a near miss"}', ['key', 'prose']],
])(
  'where nobody can tell what %s holds, fields with texts are proposed, and they work',
  async (line, pair) => {
    const [query, document] = pair.map((name) => name.replaceAll('"', ''));
    await expect(textsOf('own.jsonl', `${line}\n${line}\n`)).rejects.toMatchObject({
      message: expect.stringContaining('cannot tell what it holds'),
      hint: expect.stringContaining(`pairs: --query-field ${pair[0]} --document-field ${pair[1]}; documents`),
    });
    const { queries, documents } = await textsOf('own.jsonl', `${line}\n${line}\n`, {
      pair: { query, document },
    });
    expect([new Set(queries).size, new Set(documents).size]).toEqual([1, 1]);
  },
);

test('a list of texts is several answers', async () => {
  const row = '{"query": "q", "positive": ["one", "two"], "negative": ["three"]}\n';
  const { queries, documents } = await textsOf('lists.jsonl', row);
  expect([queries, documents.sort()]).toEqual([['q'], ['one', 'three', 'two']]);
  expect(
    (await (await openDataset(join(folder, 'lists.jsonl'))).qrels('train')).get(contentId('query', 'q'))
      ?.size,
  ).toBe(2);
  await expect(textsOf('lists.jsonl', '{"query": ["a", "b"], "positive": "c"}')).rejects.toThrow(
    'field "query": expected one text',
  );
  await expect(textsOf('lists.jsonl', '{"query": "a", "positive": []}')).rejects.toThrow('field "positive"');
});

test('documents without ids have the numbers of their lines; some with and some without are an error', async () => {
  const file = join(folder, 'notes.csv');
  await writeFile(file, 'title,content,url,tag\nA,one,u,x\n');
  const documents = [];
  for await (const document of (await openDataset(file)).documents()) documents.push(document);
  expect(documents).toEqual([{ id: '2', title: 'A', text: 'one', metadata: { url: 'u', tag: 'x' } }]);
  await expect(textsOf('mixed.jsonl', '{"text": "a"}\n{"id": "7", "text": "b"}\n')).rejects.toThrow(
    'has an id ("id"), but the first record has none',
  );
});

test('columns of unknown names are shown with the flags to use', async () => {
  await expect(textsOf('odd.csv', 'Thing asked,What we say\na,b\n')).rejects.toMatchObject({
    message: expect.stringContaining('cannot tell what it holds; fields found: Thing asked, What we say'),
    hint: expect.stringContaining('--query-field "Thing asked" --document-field "What we say"'),
  });
});

test('a folder of tables alone says which file to name', async () => {
  const tables = join(folder, 'tables');
  await mkdir(tables);
  await writeFile(join(tables, 'faq.csv'), 'question,answer\na,b\n');
  await expect(openDataset(tables)).rejects.toMatchObject({
    message: expect.stringContaining('no collection found in this folder'),
    hint: `a table is named itself: ${join(tables, 'faq.csv')}`,
  });
});
