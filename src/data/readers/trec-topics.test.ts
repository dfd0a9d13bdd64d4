import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Query } from '../dataset.js';
import { openDataset } from '../open.js';
import { throwProblem } from '../problem.js';
import { type TopicPart, trecTopics } from './trec-topics.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-topics-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(content: string, part?: TopicPart): Promise<Query[]> {
  const file = join(folder, 'topics.txt');
  await writeFile(file, content);
  const queries: Query[] = [];
  for await (const { value } of trecTopics(file, part).read(throwProblem)) queries.push(value);
  return queries;
}

const CLASSIC = `
<top>

<num> Number: 301
<title> International Organized
   Crime

<desc> Description:
Identify organizations.

<narr> Narrative:
A relevant document must be good.

</top>
<top><num>302</num><title>Topic: Polio</title></top>
`;

test('reads the classic form with and without closing tags', async () => {
  expect(await read(CLASSIC)).toEqual([
    {
      id: '301',
      text: 'International Organized Crime',
      metadata: { desc: 'Identify organizations.', narr: 'A relevant document must be good.' },
    },
    { id: '302', text: 'Polio' },
  ]);
});

test('another part can be the query', async () => {
  const [first] = await read(CLASSIC.replace(/<top><num>302[\s\S]*/, ''), 'desc');
  expect(first).toMatchObject({
    text: 'Identify organizations.',
    metadata: { title: 'International Organized Crime' },
  });
  await expect(read(CLASSIC, 'narr')).rejects.toThrow(/topics\.txt:15: field "narr": topic 302 has none/);
});

test('a page that holds no topics is no list of queries', async () => {
  const topics = join(folder, 'page.html');
  await writeFile(topics, '<!DOCTYPE html>\n<title>404</title>\n');
  const documents = join(folder, 'documents.jsonl');
  await writeFile(documents, '{"id":"d","text":"t"}\n');
  await expect(openDataset(documents, { queries: topics })).rejects.toThrow(
    /page\.html: cannot tell the format/,
  );
  const dataset = await openDataset(topics, { format: 'trec-topics', documents });
  await expect(dataset.queries().next()).rejects.toThrow(/page\.html: expected queries, got none/);
});

test('reads the later form', async () => {
  const content = `<?xml version="1.0"?>
<topics>
<topic number="7" type="faceted">
  <query>coronavirus origin</query>
  <description>what is the origin of it</description>
</topic>
</topics>`;
  expect(await read(content)).toEqual([
    { id: '7', text: 'coronavirus origin', metadata: { desc: 'what is the origin of it' } },
  ]);
});

test.each([
  ['<top>\n<num> 1\n<title> a\n', /topics\.txt:1: the topic is not closed/],
  ['\n<top>\n<title> a\n</top>', /topics\.txt:2: field "num": the topic has no number/],
  ['<top><num> 1 <title> a\n<top><num> 2 <title> b </top>', /topics\.txt:1: the topic is not closed/],
])('%j is told', async (content, message) => {
  await expect(read(content)).rejects.toThrow(message);
});
