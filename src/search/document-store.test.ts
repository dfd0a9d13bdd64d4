import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Document, openDataset } from '../data/index.js';
import { MemorySearcher } from '../serve/memory-searcher.fixture.js';
import { type OpenStore, testDocumentStore } from './document-store.conformance.js';
import { NO_DOCUMENTS } from './document-store.js';
import { StoredDocuments } from './documents/stored-documents.js';
import { openLiveSearcher } from './live/index.js';
import { writeCollection } from './live/live.fixture.js';
import type { LiveSearcher } from './live/live-searcher.js';

let root: string;
let collections = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'nearmiss-stores-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function collection(documents: Document[]): Promise<string> {
  const folder = join(root, String(collections++));
  await writeCollection(join(folder, 'data'), documents);
  return folder;
}

testDocumentStore('stored', async (documents) => {
  const folder = await collection(documents);
  const store = await StoredDocuments.open(
    join(folder, 'documents'),
    await openDataset(join(folder, 'data')),
  );
  return { documents: store, folder, close: () => store.close() };
});

async function openLive(base: Document[]): Promise<{ live: LiveSearcher; folder: string }> {
  const folder = await collection(base);
  return { folder, live: await openLiveSearcher(join(folder, 'data'), { state: join(folder, 'state') }) };
}

testDocumentStore('live, nothing written', async (documents) => {
  const { live, folder } = await openLive(documents);
  return { documents: live.documents, folder, close: () => live.close() };
});

const OTHER: Document = { id: 'another', text: 'that is in the base and removed' };

/** Some documents are in the base, some in the base with another text, the others are added. */
async function openWritten(
  documents: Document[],
): Promise<{ live: LiveSearcher; folder: string; order: string[] }> {
  const [kept, changed, added] = [0, 1, 2].map((part) => documents.filter((_, i) => i % 3 === part));
  const old = changed.map((each) => ({ id: each.id, text: `${each.text} before`, title: 'old' }));
  const { live, folder } = await openLive([OTHER, ...kept, ...old]);
  await live.upsert(changed);
  await live.remove([OTHER.id]);
  await live.upsert([...added, { ...OTHER, text: 'back' }]);
  await live.remove([OTHER.id]);
  return { live, folder, order: [...kept, ...changed, ...added].map(({ id }) => id) };
}

testDocumentStore('live, after writes', async (documents): Promise<OpenStore> => {
  const { live, folder, order } = await openWritten(documents);
  return { documents: live.documents, folder, order, close: () => live.close() };
});

testDocumentStore('a snapshot, whatever is written later', async (documents): Promise<OpenStore> => {
  const { live, folder, order } = await openWritten(documents);
  const snapshot = live.snapshot();
  await live.remove(documents.slice(0, 5).map(({ id }) => id));
  await live.upsert(documents.map((each) => ({ ...each, text: 'later' })));
  return {
    documents: snapshot.documents,
    folder,
    order,
    close: async () => {
      await snapshot.close();
      await live.close();
    },
  };
});

testDocumentStore('in memory', async (documents) => {
  const searcher = new MemorySearcher('v1', documents);
  return { documents: searcher.documents, close: () => searcher.close() };
});

test('of an index without its collection nothing is known', async () => {
  expect([NO_DOCUMENTS.count, NO_DOCUMENTS.has('a'), [...NO_DOCUMENTS.ids()]]).toEqual([0, false, []]);
  expect(await NO_DOCUMENTS.get('a')).toBeUndefined();
  expect(await NO_DOCUMENTS.getAll(['a', 'b'])).toEqual([undefined, undefined]);
  await NO_DOCUMENTS.close();
  await NO_DOCUMENTS.close();
});
