import { appendFile, chmod, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { DamagedFileError } from '../../base/checksums.js';
import { openDataset } from '../../data/index.js';
import { Random } from '../../engine/random.js';
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

const STORE_NAMES = [
  'checks.bin',
  'documents.jsonl',
  'ids.jsonl',
  'metadata.jsonl',
  'meta.json',
  'offsets.bin',
];

/** Everything that can be read of a store. */
async function readAll(): Promise<unknown> {
  const documents = await open();
  try {
    const metadata: unknown[] = [];
    for await (const each of documents.metadata()) metadata.push(each);
    const ids = [...documents.ids()];
    return { content: documents.content, ids, metadata, documents: await documents.getAll(ids) };
  } finally {
    await documents.close();
  }
}

test('whatever happens to a file, everything is as before or the file is named; an emptied one is made again', async () => {
  const expected = await readAll();
  const store = join(folder, 'cache', 'documents');
  expect((await readdir(store)).sort()).toEqual([...STORE_NAMES].sort());
  const random = Random.from(10, 'damage');
  for (const name of STORE_NAMES) {
    const path = join(store, name);
    const whole = await readFile(path);
    const flips = Array.from({ length: 6 }, () => {
      const altered = Buffer.from(whole);
      for (let i = 0; i < 2; i++) altered[random.integer(whole.length)] ^= 1 << random.integer(8);
      return altered;
    });
    for (const content of [Buffer.alloc(0), whole.subarray(0, whole.length >> 1), ...flips]) {
      await writeFile(path, content);
      const result = await readAll().catch((error) => error);
      if (content.length < whole.length) expect(result).toEqual(expected);
      else if (result instanceof Error) {
        expect(result).toBeInstanceOf(DamagedFileError);
        expect(result.message).toContain(path);
        expect(result).toMatchObject({ hint: expect.stringContaining(`remove ${store}`) });
        await rm(store, { recursive: true });
      } else expect(result).toEqual(expected);
      expect(await readAll()).toEqual(expected);
    }
  }
});

test('a store of an earlier version, without checksums, opens and does not give less than it had', async () => {
  await (await open()).close();
  const store = join(folder, 'cache', 'documents');
  const {
    files: _files,
    sealed: _sealed,
    contentSha256: _seal,
    ...meta
  } = JSON.parse(await readFile(join(store, 'meta.json'), 'utf8'));
  await writeFile(join(store, 'meta.json'), JSON.stringify(meta));
  await rm(join(store, 'checks.bin'));
  expect(await readAll()).toMatchObject({ metadata: [{ n: 1 }, undefined, { n: 3 }] });
  await writeFile(join(store, 'metadata.jsonl'), '');
  await expect(readAll()).rejects.toMatchObject({
    message: `${join(store, 'metadata.jsonl')}: the document store is damaged: expected 3 lines, got 0`,
  });
  expect(builds).toBe(1);
});

test.skipIf(process.getuid?.() === 0)(
  'where a damaged store cannot be made again, its file is named',
  async () => {
    await (await open()).close();
    const cache = join(folder, 'cache');
    await truncate(join(cache, 'documents', 'ids.jsonl'), 3);
    await chmod(cache, 0o555);
    onTestFinished(() => chmod(cache, 0o755));
    await expect(open()).rejects.toThrow(
      /ids\.jsonl: the document store is damaged: expected \d+ bytes, got 3, and it cannot be made again/,
    );
  },
);
