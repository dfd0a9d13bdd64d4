import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { trainTinyRun, writeTinyData } from '../../analyze/tiny-run.fixture.js';
import { gather } from '../../data/data.fixture.js';
import { type Document, openDataset } from '../../data/index.js';
import { openSearcher } from '../open/open-searcher.js';
import type { Hit } from '../retrievers/retriever.js';
import { makeSearchFixture, type SearchFixture } from '../search.fixture.js';
import type { OpenSearcherOptions, Searcher } from '../searcher.js';
import { openLiveSearcher } from './index.js';
import { temporaryFolder, writeCollection } from './live.fixture.js';

const MODES = ['bm25', 'dense', 'hybrid', 'cascade'] as const;

describe('on a trained run', () => {
  let fixture: SearchFixture;
  let options: OpenSearcherOptions;
  beforeAll(async () => {
    fixture = await makeSearchFixture();
    // A run and the collection exported from it are not searched in the same mode by default.
    options = { threads: 1, reranker: fixture.reranker, rerankFirst: 'hybrid' };
  });
  afterAll(() => fixture.remove());

  /** Moves texts from document to document and gives some new ids: the statistics of the collection stay as they are. */
  function shuffled(): { upserts: Document[]; removed: string[] } {
    const moved = fixture.documents.slice(20, 60);
    const upserts = moved.map((document, i) => ({ ...moved[(i + 7) % moved.length], id: document.id }));
    const renamed = fixture.documents.slice(100, 130);
    const added = renamed.map((document) => ({ ...document, id: `new-${document.id}` }));
    return { upserts: [...upserts, ...added], removed: renamed.map(({ id }) => id) };
  }

  function expectSame(found: Hit[][], expected: Hit[][]): void {
    expect(found.map((hits) => hits.map(({ id }) => id))).toEqual(
      expected.map((hits) => hits.map(({ id }) => id)),
    );
    found.forEach((hits, query) => {
      hits.forEach(({ score, parts }, i) => {
        const other = expected[query][i];
        expect(score).toBeCloseTo(other.score, 4);
        expect(parts!.map(({ name, rank }) => ({ name, rank }))).toEqual(
          other.parts!.map(({ name, rank }) => ({ name, rank })),
        );
        expect(parts!.map(({ terms }) => terms?.map(({ term }) => term).sort())).toEqual(
          other.parts!.map(({ terms }) => terms?.map(({ term }) => term).sort()),
        );
      });
    });
  }

  test('every mode finds what an index rebuilt from the export finds, with its scores, ranks and filters', async () => {
    const folder = await temporaryFolder();
    const live = await openLiveSearcher(await openSearcher(fixture.run, options), {
      state: join(folder, 'state'),
    });
    const { upserts, removed } = shuffled();
    await live.upsert(upserts);
    await live.remove(removed);
    const exported = join(folder, 'exported');
    expect(await live.exportCollection(exported)).toEqual({ documents: 196, sequence: 2 });
    const rebuilt = await openSearcher(exported, { ...options, model: join(fixture.run, 'best') });
    expect(live.modes).toEqual(MODES);
    const texts = fixture.queries.map(({ text }) => text);
    for (const mode of MODES) {
      const queries = mode === 'cascade' ? texts.slice(0, 4) : texts;
      for (const filter of [undefined, { even: true }]) {
        // All of them: which of equal scores make a shorter list depends on the order of indexing.
        const search = { k: 200, filter, explain: true };
        expectSame(
          await live.retriever(mode).search(queries, search),
          await rebuilt.retriever(mode).search(queries, search),
        );
      }
    }
    const vector = (await live.vectorOf('new-d7-3'))!;
    expect(vector).toHaveLength(live.model!.dimension);
    const [neighbours] = await live.searchVectors(vector, { k: 3 });
    expect(neighbours[0].id).toBe('new-d7-3');
    expect(await live.vectorOf(removed[0])).toBeUndefined();
    await rebuilt.close();
    await live.close();
  });

  test('vectors survive a restart and are made anew for another model only', async () => {
    const folder = await temporaryFolder();
    const state = join(folder, 'state');
    const encoded: (number | undefined)[] = [];
    const open = async (base: Searcher) =>
      openLiveSearcher(base, {
        state,
        onProgress: ({ total }) => {
          encoded.push(total);
          return { advance: () => undefined, finish: () => undefined };
        },
      });
    const first = await open(await openSearcher(fixture.run, options));
    const { upserts } = shuffled();
    await first.upsert(upserts.slice(0, 25));
    const before = await first.retriever('dense').search(['x'], { k: 10 });
    await first.close();

    const second = await open(await openSearcher(fixture.run, options));
    expect(encoded).toEqual([]);
    expect(await second.retriever('dense').search(['x'], { k: 10 })).toEqual(before);
    const old = second.snapshot();
    // Another model under the same collection; the first base stays open for the snapshot.
    const other = { ...options, model: 'minilm', cache: join(folder, 'cache') };
    await second.swap(await openSearcher(fixture.data, other));
    expect(await old.retriever('dense').search(['x'], { k: 10 })).toEqual(before);
    await old.close();
    expect(second.version.split('+')[0]).not.toBe(old.version.split('+')[0]);
    expect(second.version.split('+')[1]).toBe('1');
    const [expected] = [await second.encode([`${upserts[3].text}`], 'document')];
    const [nearest] = await second.searchVectors(expected, { k: 1 });
    expect(nearest[0].score).toBeCloseTo(1, 4);
    await second.close();

    const third = await open(await openSearcher(fixture.data, other));
    expect(encoded).toEqual([]);
    await third.close();
    const fourth = await open(await openSearcher(fixture.run, options));
    expect(encoded).toEqual([25]);
    expect(await fourth.retriever('dense').search(['x'], { k: 10 })).toEqual(before);
    await fourth.close();
  });
});

describe('on a collection', () => {
  const BASE: Document[] = Array.from({ length: 10 }, (_, i) => ({ id: `d${i}`, text: `apple number${i}` }));

  async function prepare(documents = BASE): Promise<{ folder: string; data: string; state: string }> {
    const folder = await temporaryFolder();
    const data = join(folder, 'data');
    await writeCollection(data, documents);
    return { folder, data, state: join(folder, 'state') };
  }

  test('snippets and explanations show words that only added documents have', async () => {
    const { data, state } = await prepare();
    const live = await openLiveSearcher(data, { state });
    const added = { id: 'x', text: 'an apple in the sauna' };
    await live.upsert([added]);
    const query = 'sauna apple nowhere';
    const snapshot = live.snapshot();
    for (const searcher of [live, snapshot]) {
      const { text, highlights } = searcher.snippet(query, added);
      expect(highlights.map(([start, end]) => text.slice(start, end))).toEqual(['apple', 'sauna']);
      expect(searcher.snippet(query, BASE[0])).toMatchObject({ highlights: [[0, 5]] });
    }
    await snapshot.close();
    const [[hit]] = await live.retriever('bm25').search([query], { k: 1, explain: true });
    expect(hit.parts![0].terms!.map(({ term }) => term).sort()).toEqual(['appl', 'sauna']);
    await live.close();
  });

  test('one process at a time', async () => {
    const { data, state } = await prepare();
    const live = await openLiveSearcher(data, { state });
    await expect(openLiveSearcher(data, { state })).rejects.toThrow(
      `${state}: process ${process.pid} writes here already`,
    );
    await live.close();
    await (await openLiveSearcher(data, { state })).close();
  });

  test('writes that are called together take effect in order, each all at once', async () => {
    const { data, state } = await prepare();
    const live = await openLiveSearcher(data, { state });
    const writes = Array.from({ length: 200 }, (_, i) =>
      i % 3 === 2 ? live.remove(['x', 'd3']) : live.upsert([{ id: 'x', text: `pear v${i}` }]),
    );
    const versions = (await Promise.all(writes)).map(({ version }) => Number(version.split('+')[1]));
    expect(versions).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    expect((await live.documents.get('x'))?.text).toBe('pear v199');
    expect(live.documents.has('d3')).toBe(false);
    expect(live.pending).toMatchObject({ documents: 1, removals: 1 });
    const last = live.upsert([{ id: 'y', text: 'just before the end' }]);
    await live.close();
    await last;
    await expect(live.upsert([{ id: 'z', text: 'too late' }])).rejects.toThrow('closed');
    const again = await openLiveSearcher(data, { state });
    expect([...again.documents.ids()].slice(-2)).toEqual(['x', 'y']);
    await again.close();
  });

  test('a full overlay says what to do, and takes what makes it smaller', async () => {
    const { data, state } = await prepare();
    const live = await openLiveSearcher(data, { state, limits: { documents: 3, removals: 2, bytes: 4000 } });
    const documents = ['a', 'b', 'c', 'd'].map((id) => ({ id, text: 'pear' }));
    await live.upsert(documents.slice(0, 3));
    await expect(live.upsert(documents)).rejects.toMatchObject({
      message: 'expected at most 3 documents on top of the index, got 4',
      hint: expect.stringContaining('export the collection'),
    });
    await live.upsert(documents.slice(0, 2));
    await expect(live.upsert([{ id: 'a', text: 'x'.repeat(5000) }])).rejects.toThrow('4000 bytes');
    await expect(live.remove(['d1', 'd2', 'd3'])).rejects.toThrow('at most 2 removals');
    await live.remove(['a']);
    await live.upsert([{ id: 'd', text: 'pear' }]);
    expect(live.pending).toMatchObject({ documents: 3, removals: 1 });
    await live.close();
  });

  test('documents and ids that are not as they should be are refused by name, and nothing is written', async () => {
    const { data, state } = await prepare();
    const live = await openLiveSearcher(data, { state });
    const { version } = live;
    const fine = { id: 'fine', text: 'pear' };
    const wrong: [unknown, string][] = [
      [{ id: 7, text: 'x' }, 'documents[1]: field "id": expected string, got a number (7)'],
      [{ id: '', text: 'x' }, 'documents[1]: field "id": expected an id of at least one character'],
      [{ id: 'a\tb', text: 'x' }, 'documents[1]: field "id": expected an id without tabs'],
      [{ id: 'a' }, 'documents[1]: field "text": expected string, got nothing'],
      [{ id: 'a', text: 'x', metadata: { when: new Date() } }, 'documents[1]: field "metadata.when"'],
    ];
    for (const [document, message] of wrong) {
      await expect(live.upsert([fine, document as Document])).rejects.toThrow(message);
    }
    await expect(live.remove(['fine', ''])).rejects.toThrow('ids[1]: expected an id of at least one');
    expect(live.version).toBe(version);
    await live.close();
  });

  test('exported, rebuilt, swapped and forgotten, writes since the export stay', async () => {
    const { folder, data, state } = await prepare();
    const live = await openLiveSearcher(data, { state });
    await live.upsert([
      { id: 'd1', text: 'pear' },
      { id: 'x', text: 'pear' },
    ]);
    await live.remove(['d2']);
    const rebuilt = join(folder, 'rebuilt');
    const { sequence, documents } = await live.exportCollection(rebuilt);
    expect({ sequence, documents }).toEqual({ sequence: 2, documents: 10 });
    await live.remove(['x']);
    await live.upsert([{ id: 'd1', text: 'plum' }]);
    const ids = [...live.documents.ids()].sort();
    await live.swap(await openSearcher(rebuilt));
    expect([...live.documents.ids()].sort()).toEqual(ids);
    await live.forget(sequence);
    expect(live.pending).toMatchObject({ documents: 1, removals: 1 });
    const check = async (searcher: Searcher): Promise<void> => {
      expect([...searcher.documents.ids()].sort()).toEqual(ids);
      const found = async (query: string) =>
        (await searcher.retriever('bm25').search([query], { k: 20 }))[0].map(({ id }) => id);
      expect(await found('plum')).toEqual(['d1']);
      expect(await found('pear')).toEqual([]);
      expect(await found('apple')).toHaveLength(8);
    };
    await check(live);
    const { version } = live;
    await live.close();
    const again = await openLiveSearcher(rebuilt, { state });
    expect(again.version).toBe(version);
    await check(again);
    await again.close();
  });

  test('many replacements keep memory and log small, and searches under way keep their snapshot', async () => {
    const { data, state } = await prepare();
    const live = await openLiveSearcher(data, { state });
    const old = live.snapshot();
    const text = `pear ${'x'.repeat(2000)}`;
    for (let round = 0; round < 40; round++) {
      await Promise.all(
        Array.from({ length: 100 }, (_, i) => live.upsert([{ id: `n${i}`, text: `${text} round${round}` }])),
      );
    }
    const [newest, none] = await live.retriever('bm25').search(['round39', 'round38'], { k: 200 });
    expect(newest).toHaveLength(100);
    expect(none).toEqual([]);
    expect((await old.retriever('bm25').search(['pear'], { k: 5 }))[0]).toEqual([]);
    await old.close();
    await live.close();
    const files = await readdir(state);
    expect(files.some((name) => name.startsWith('snapshot-'))).toBe(true);
    const again = await openLiveSearcher(data, { state });
    expect((await again.retriever('bm25').search(['round39'], { k: 200 }))[0]).toHaveLength(100);
    await again.close();
  });

  test('an index without its collection cannot be changed', async () => {
    const { folder, data } = await prepare();
    await (await openSearcher(data, { cache: join(folder, 'cache') })).close();
    const [index] = (await readdir(join(folder, 'cache'))).filter((name) => name.includes('bm25'));
    const base = await openSearcher(join(folder, 'cache', index), { cache: join(folder, 'other') });
    await expect(openLiveSearcher(base, { state: join(folder, 'state') })).rejects.toMatchObject({
      hint: expect.stringContaining('--data'),
    });
    await base.close();
  });
});

test('a run with MaxP: an added document scores as one that was there with the same text', async () => {
  const folder = await temporaryFolder();
  await writeTinyData(folder);
  const inPieces = ['model.passages.mode=max', 'model.passages.pieces=3', 'model.maxLength.document=3'];
  const run = await trainTinyRun(folder, 'run', inPieces);
  const base = await openSearcher(run.path, { threads: 1, modes: ['dense'] });
  const live = await openLiveSearcher(base, { state: join(folder, 'state') });
  const [document] = await gather(await openDataset(join(folder, 'data'))).then(({ documents }) => documents);
  const { offsets } = await live.encodeDocuments([document.text]);
  expect(offsets[1]).toBeGreaterThan(1);
  await live.upsert([{ ...document, id: 'copy' }]);
  const hits = await live.retriever('dense').search([document.text, 'another'], { k: 300 });
  for (const found of hits) {
    const score = (id: string): number => found.find((hit) => hit.id === id)!.score;
    expect(score('copy')).toBeCloseTo(score(document.id), 5);
  }
  await live.close();
});
