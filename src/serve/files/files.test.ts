import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { pdf, workbook } from '../../data/readers/office/office.fixture.js';
import type { FileRead } from '../answers/documents.js';
import { writeCollection } from '../collection.fixture.js';
import { serveTarget } from '../serve-target.js';
import { ANIMALS, keptLog, requestsInHand, send } from '../server.fixture.js';
import type { SearchServer } from '../server.js';

let folder: string;
let server: SearchServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-files-'));
  await writeCollection(folder, ANIMALS);
  server = await serveTarget(folder, { log: keptLog(), search: { modes: ['bm25'] } });
  await server.listen(0);
  await server.start();
  return async () => {
    await server.close();
    await rm(folder, { recursive: true });
  };
});

async function read(path: string, content: string | Uint8Array): Promise<FileRead & { status: number }> {
  const address = `/v1/files/read?path=${encodeURIComponent(path)}`;
  const { status, body } = await send(server, 'POST', address, Buffer.from(content as Uint8Array));
  return { status, ...body };
}

const sparse = ({ documents }: FileRead) => documents.map(({ id, title, text }) => [id, title, text]);

test('PDF and Excel are read by their bytes, as those of a served folder', async () => {
  const manual = await read(
    'manuals/rudder.pdf',
    pdf([['How a rudder is fixed.'], ['And how it is taken off.']]),
  );
  expect(manual).toMatchObject({ status: 200, problems: [], gone: [] });
  expect(sparse(manual)).toEqual([
    ['manuals/rudder.pdf#1', 'rudder', 'How a rudder is fixed.'],
    ['manuals/rudder.pdf#2', 'rudder', 'And how it is taken off.'],
  ]);
  expect(manual.documents[1].metadata).toMatchObject({ path: 'manuals/rudder.pdf', anchor: 'page=2' });
  const faq = workbook({
    Faq: [
      ['Question', 'Answer'],
      ['How to sail?', 'Hoist the sail.'],
      ['How to row?', null],
    ],
  });
  const pairs = await read('faq.xlsx', faq);
  expect(sparse(pairs)).toEqual([['faq.xlsx#2', 'How to sail?', 'Hoist the sail.']]);
  expect(pairs.problems).toEqual(['faq.xlsx:3: field "Answer": an empty text: the pair is left out']);
});

test('tables and JSON in the ways that people write them', async () => {
  const table = 'ID;Title;Text;Year\r\n7;A;"one; ""two""\nthree";1999\r\n';
  expect((await read('t.csv', table)).documents).toEqual([
    { id: '7', title: 'A', text: 'one; "two"\nthree', metadata: { Year: '1999' } },
  ]);
  expect(sparse(await read('notes.tsv', Buffer.from('\ufefftext\tday\nGröße\t1\n', 'utf16le')))).toEqual([
    ['notes.tsv#2', undefined, 'Größe'],
  ]);
  expect((await read('c.jsonl', '{"_id": "a", "text": "one", "lang": "en"}\n')).documents).toEqual([
    { id: 'a', text: 'one', metadata: { lang: 'en' } },
  ]);
  expect(sparse(await read('c.json', '[{"text": "one"}]'))).toEqual([['c.json#1', undefined, 'one']]);
});

test('what cannot be read is told with the name that the file was sent under', async () => {
  const problems = async (path: string, content: string | Uint8Array) => (await read(path, content)).problems;
  expect(await problems('broken.pdf', '%PDF-1.4 broken')).toEqual([
    expect.stringMatching(/^broken\.pdf: not a PDF that can be read/),
  ]);
  // A page has no flags, so what they would be is not told; nor is every row of a table that nobody can tell.
  expect(await problems('sku.csv', 'sku,name\n1,a\n2,b\n')).toEqual([
    'sku.csv:2: cannot tell what it holds; fields found: sku, name (call its columns title and text, or question and answer)',
  ]);
  expect(await problems('found.csv', 'query,text\na,b\n')).toEqual([
    'found.csv: pairs, or documents? columns found: query, text (call its columns title and text, or question and answer)',
  ]);
  expect(await problems('old.txt', Buffer.from('caf\xe9', 'latin1'))).toEqual([
    'old.txt:1: not valid UTF-8 (convert the file from its own encoding, e.g.: iconv -f LATIN1 -t UTF-8)',
  ]);
  expect(await problems('letter.docx', 'PK')).toEqual([
    'letter.docx: a document of another program cannot be read (save or convert it as PDF, text, HTML or Markdown)',
  ]);
  expect(await problems('a.jsonl', '{"_id": "1", "text": "a"}\n{\n')).toEqual([
    expect.stringMatching(/^a\.jsonl:2: /),
  ]);
  expect(await problems('empty.md', ' \n')).toEqual(['empty.md: no text in it']);
  expect((await read('../up.md', 'text')).status).toBe(400);
});

test('of several texts those that can be read are added; a shorter version leaves nothing behind', async () => {
  const post = (files: object[]) => send(server, 'POST', '/v1/files', { files });
  const long = {
    path: 'long.md',
    text: '# A\n\nsome words here\n\n# B\n\nsome more words\n\n# C\n\nthe last words',
  };
  const deep = { path: 'deep.html', text: '<p><b>'.repeat(3000) };
  expect((await post([long, deep])).body).toMatchObject({
    added: 3,
    first: 'long.md#1',
    problems: [expect.stringMatching(/^deep\.html: expected at most 2000 elements/)],
  });
  expect((await post([deep])).status).toBe(400);
  const shorter = await read('long.md', '# A\n\nsome words here');
  expect(shorter.gone).toEqual(['long.md#2', 'long.md#3']);
  expect((await post([{ path: 'long.md', text: '# A\n\nsome words here' }])).body).toMatchObject({
    replaced: 1,
  });
  expect((await send(server, 'GET', '/v1/documents/long.md%232')).status).toBe(404);
});

test('a file that keeps its parser busy keeps nobody else waiting, and is left when nobody waits for it', async () => {
  // What a parser needs is loaded now, wherever it works.
  await read('quick.md', '# Quick\n\nA fox.');
  const leaving = new AbortController();
  const reading = fetch(`${server.url}/v1/files/read?path=slow.md`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    // Minutes of work: at every star the parser looks for the end of the emphasis again.
    body: '*a'.repeat(450_000),
    signal: leaving.signal,
  });
  const atWork = { active: 1, waiting: 0 };
  await expect.poll(() => requestsInHand(server)).toEqual(atWork);
  // Some may be answered before the parser begins.
  for (let others = 0; others < 20; others++) expect(await requestsInHand(server)).toEqual(atWork);
  leaving.abort();
  await expect(reading).rejects.toThrow('abort');
  await expect.poll(() => requestsInHand(server)).toEqual({ active: 0, waiting: 0 });
});
