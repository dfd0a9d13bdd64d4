import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Document } from '../../data/index.js';
import { compareHits } from '../hits.js';
import { openLiveSearcher } from '../live/index.js';
import { temporaryFolder, writeCollection } from '../live/live.fixture.js';
import { openSearcher } from '../open/open-searcher.js';
import type { Mode } from './mode.js';
import { searchModes } from './modes.js';
import type { Corpus } from './open-mode.js';
import type { Retriever } from './retriever.js';

const BASE: Document[] = [
  { id: 'a', title: 'Apple pie', text: 'butter and flour' },
  { id: 'b', title: 'Pear tart', text: 'an apple is no pear' },
  { id: 'c', text: 'nothing of that kind' },
];

/** Finds documents whose titles have the query's words: reads all of them, and counts those it was told of. */
class TitleMode implements Mode {
  readonly name = 'titles';
  readonly needs = { what: 'titles', flags: ['--data'] };
  readonly added: string[] = [];

  async open(opening: Parameters<Mode['open']>[0]): ReturnType<Mode['open']> {
    if (!opening.preparation) return undefined;
    const retriever = (corpus: Corpus): Retriever => ({
      mode: this.name,
      search: async (queries, { k }) => {
        const documents = await corpus.documents.getAll([...corpus.documents.ids()]);
        return queries.map((query) =>
          documents
            .map((document) => ({ id: document!.id, score: shared(query, document!.title ?? '') }))
            .filter(({ score }) => score > 0)
            .sort(compareHits)
            .slice(0, k),
        );
      },
      close: async () => {},
    });
    return {
      fingerprint: 'by title',
      retriever,
      live: () => ({ add: (_, { id }) => void this.added.push(id), retriever }),
    };
  }
}

function shared(query: string, title: string): number {
  const words = new Set(title.toLowerCase().split(' '));
  return query.split(' ').filter((word) => words.has(word)).length;
}

test('a mode of one’s own is registered in one line, and searched over a base and over writes', async () => {
  const folder = await temporaryFolder();
  const data = join(folder, 'data');
  await writeCollection(data, BASE);
  const plain = await openSearcher(data);
  const titles = new TitleMode();
  searchModes.register(titles);
  expect(searchModes.names).toEqual(['bm25', 'dense', 'hybrid', 'cascade', 'titles']);
  expect(() => searchModes.register(new TitleMode())).toThrow('there is one of this name already');

  const searcher = await openSearcher(data);
  expect(plain.modes).toEqual(['bm25']);
  expect(searcher.modes).toEqual(['bm25', 'titles']);
  expect(searcher.defaultMode).toBe('bm25');
  expect(searcher.version).not.toBe(plain.version);
  const found = async (mode: string, query: string, from = searcher): Promise<string[]> =>
    (await from.retriever(mode).search([query], { k: 5 }))[0].map(({ id }) => id);
  expect(await found('titles', 'apple')).toEqual(['a']);
  expect(await found('bm25', 'apple')).toEqual(['a', 'b']);

  const live = await openLiveSearcher(searcher, { state: join(folder, 'state') });
  await live.upsert([{ id: 'd', title: 'Apple tart', text: 'x' }]);
  await live.remove(['b']);
  expect(titles.added).toEqual(['d']);
  expect(await found('titles', 'apple tart', live)).toEqual(['d', 'a']);
  await Promise.all([live.close(), plain.close()]);

  const only = await openSearcher(data, { modes: ['titles'] });
  expect(only.modes).toEqual(['titles']);
  expect(() => only.retriever('bm25')).toThrow('cannot search in mode "bm25": it needs a collection');
  await only.close();
});

test('a mode that there is not is refused with what was meant', async () => {
  const folder = await temporaryFolder();
  const data = join(folder, 'data');
  await writeCollection(data, BASE);
  const meant = expect.objectContaining({
    message: 'no search mode is called "bm52"',
    hint: 'did you mean bm25?',
  });
  await expect(openSearcher(data, { modes: ['bm52'] })).rejects.toEqual(meant);
  await expect(openSearcher(data, { rerankFirst: 'bm52' })).rejects.toEqual(meant);
  await expect(openSearcher(data, { rerankFirst: 'cascade' })).rejects.toThrow('"cascade" reranks');
  const live = await openLiveSearcher(data, { state: join(folder, 'state') });
  await live.upsert([{ id: 'd', text: 'x' }]);
  const snapshot = live.snapshot();
  for (const searcher of [live, snapshot]) {
    expect(() => searcher.retriever('bm52')).toThrow(meant);
    expect(() => searcher.retriever('bm25', { first: 'hybird' })).toThrow('is called "hybird"');
    expect(() => searcher.retriever('dense')).toThrow('it needs a model');
  }
  await snapshot.close();
  await live.close();
});
