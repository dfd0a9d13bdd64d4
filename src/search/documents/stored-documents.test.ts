import { appendFile, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDataset } from '../../data/index.js';
import { StoredDocuments } from './stored-documents.js';

let folder: string;
let builds: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-store-'));
  builds = 0;
  const documents = [
    { _id: 'd1', title: 'Ä', text: 'Grüße 😀\nzwei', metadata: { n: 1 } },
    { _id: 'd 2', text: 'second' },
    { _id: 'd"3', text: '', metadata: { n: 3 } },
  ];
  await writeFile(join(folder, 'corpus.jsonl'), documents.map((d) => `${JSON.stringify(d)}\n`).join(''));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function open(): Promise<StoredDocuments> {
  const dataset = await openDataset(join(folder, 'corpus.jsonl'));
  const onBuild = () => {
    builds++;
    return { advance() {}, finish() {} };
  };
  return StoredDocuments.open(join(folder, 'cache', 'documents'), dataset, { onBuild });
}

test('gives documents back as they are, by id', async () => {
  const documents = await open();
  expect(documents.count).toBe(3);
  expect([...documents.ids()]).toEqual(['d1', 'd 2', 'd"3']);
  expect(await documents.get('d1')).toMatchObject({
    id: 'd1',
    title: 'Ä',
    text: 'Grüße 😀\nzwei',
    metadata: { n: 1 },
  });
  expect(await documents.get('nobody')).toBeUndefined();
  expect((await documents.getAll(['d"3', 'x', 'd 2'])).map((d) => d?.id)).toEqual(['d"3', undefined, 'd 2']);
  expect([documents.has('d1'), documents.has('x')]).toEqual([true, false]);
  const metadata: unknown[] = [];
  for await (const each of documents.metadata()) metadata.push(each);
  expect(metadata).toHaveLength(3);
  expect(metadata[2]).toEqual({ n: 3 });
  await documents.close();
});

test('is built once, and again when the collection has changed or the store is damaged', async () => {
  const contents: string[] = [];
  const openAndClose = async () => {
    const documents = await open();
    contents.push(documents.content);
    await documents.close();
  };
  await openAndClose();
  await openAndClose();
  expect(builds).toBe(1);
  await appendFile(join(folder, 'corpus.jsonl'), '{"_id":"d4","text":"new"}\n');
  await openAndClose();
  expect(builds).toBe(2);
  await truncate(join(folder, 'cache', 'documents', 'documents.jsonl'), 10);
  await openAndClose();
  expect(builds).toBe(3);
  expect(new Set(contents).size).toBe(2);
  expect(await readdir(join(folder, 'cache'))).toEqual(['documents']);
});

test('several processes may open it at the same time', async () => {
  const opened = await Promise.all([open(), open(), open()]);
  expect(builds).toBe(1);
  for (const documents of opened) {
    expect((await documents.get('d 2'))?.text).toBe('second');
    await documents.close();
  }
});

test('a broken collection leaves nothing behind', async () => {
  await appendFile(join(folder, 'corpus.jsonl'), '{"_id":7\n');
  await expect(open()).rejects.toThrow('corpus.jsonl:4');
  expect(await readdir(join(folder, 'cache'))).toEqual([]);
});
