import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { IndexHost } from '../serve/collections/index-host.js';
import { openLiveSearcher } from './live/index.js';
import type { LiveSearcher } from './live/live-searcher.js';
import { openSearcher } from './open/open-searcher.js';
import { makeSearchFixture, type SearchFixture } from './search.fixture.js';
import { type SearcherReference, testSearcher } from './searcher.conformance.js';
import type { OpenSearcherOptions, Searcher } from './searcher.js';

let fixture: SearchFixture;
let reference: SearcherReference;
let states = 0;
beforeAll(async () => {
  fixture = await makeSearchFixture();
  reference = {
    searcher: await openAll(),
    documents: fixture.documents,
    queries: fixture.queries.map(({ text }) => text),
  };
});
afterAll(async () => {
  await reference.searcher.close();
  await fixture.remove();
});

/** A run and its collection are not searched in the same mode by default, so what is reranked is said. */
const openAll = (options: OpenSearcherOptions = {}): Promise<Searcher> =>
  openSearcher(fixture.data, {
    threads: 1,
    model: join(fixture.run, 'best'),
    reranker: fixture.reranker,
    rerankFirst: 'hybrid',
    ...options,
  });

const state = (): string => join(fixture.folder, `state-${states++}`);

async function openLive(base = openAll()): Promise<LiveSearcher> {
  return openLiveSearcher(await base, { state: state() });
}

/** Documents come, go, change and are back as they were, so that the same ones are left and many were written. */
async function write(live: LiveSearcher): Promise<void> {
  const { documents } = fixture;
  await live.upsert(documents.slice(20, 60).map((document) => ({ ...document, text: 'something else' })));
  await live.remove(documents.slice(50, 90).map(({ id }) => id));
  await live.upsert([{ id: 'passing', text: `${documents[0].text} by` }, ...documents.slice(20, 90)]);
  await live.upsert(documents.slice(100, 110));
  await live.remove(['passing', 'nobody']);
}

const conforms = (name: string, open: Parameters<typeof testSearcher>[1]): void =>
  testSearcher(name, open, () => reference);

conforms('a collection, words only', async () => ({
  searcher: await openSearcher(fixture.data, { threads: 1 }),
}));

conforms('an index of vectors with its collection', async () => ({
  searcher: await openAll({ modes: ['dense'] }),
}));

conforms('a run', async () => ({
  searcher: await openSearcher(fixture.run, {
    threads: 1,
    reranker: fixture.reranker,
    rerankFirst: 'hybrid',
  }),
}));

conforms('a collection in worker threads', async () => ({ searcher: await openAll({ inWorkers: true }) }));

conforms('live, nothing written', async () => ({ searcher: await openLive() }));

conforms('live, words only, written to and the same in the end', async () => {
  const live = await openLive(openSearcher(fixture.data, { threads: 1 }));
  await write(live);
  return { searcher: live };
});

conforms('live, written to and the same in the end', async () => {
  const live = await openLive();
  await write(live);
  return { searcher: live };
});

conforms('live, opened again after writes', async () => {
  const folder = state();
  const before = await openLiveSearcher(await openAll(), { state: folder });
  await write(before);
  await before.close();
  return { searcher: await openLiveSearcher(await openAll(), { state: folder }) };
});

conforms('a snapshot, whatever is written later', async () => {
  const live = await openLive();
  await write(live);
  const snapshot = live.snapshot();
  await live.remove(fixture.documents.slice(0, 30).map(({ id }) => id));
  await live.upsert(fixture.documents.slice(30, 60).map((document) => ({ ...document, text: 'later' })));
  return {
    searcher: snapshot,
    close: async () => {
      await snapshot.close();
      await live.close();
    },
  };
});

conforms('what a server hands to a request', async () => {
  const host = new IndexHost(await openAll({ inWorkers: true }));
  const { searcher, release } = host.lease();
  return {
    searcher,
    close: async () => {
      await release();
      await host.close();
    },
  };
});
