import { readFileSync } from 'node:fs';
import { appendFile, cp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDataset } from '../data/index.js';
import { buildBm25Index } from '../index/bm25/index.js';
import { openDocumentIndex, writeVectorIndex } from '../index/vectors/index.js';
import { createCrossEncoder, saveCrossEncoder } from '../model/cross-encoder/cross-encoder-model.js';
import { loadEncoderModel } from '../model/index.js';
import { openSearcher } from './open/open-searcher.js';
import type { Hit, SearchMode } from './retrievers/retriever.js';
import { makeSearchFixture, type SearchFixture } from './search.fixture.js';
import type { CascadeChoice, OpenSearcherOptions, Searcher } from './searcher.js';
import { tuneHybrid } from './tune-hybrid.js';

let fixture: SearchFixture;
beforeAll(async () => {
  fixture = await makeSearchFixture();
});
afterAll(() => fixture.remove());

async function withSearcher<T>(
  path: string,
  options: OpenSearcherOptions,
  use: (searcher: Searcher) => Promise<T> | T,
): Promise<T> {
  const searcher = await openSearcher(path, { threads: 1, ...options });
  try {
    return await use(searcher);
  } finally {
    await searcher.close();
  }
}

async function bestIndex(): Promise<string> {
  return join(fixture.run, 'index', (await readdir(join(fixture.run, 'index'))).at(-1)!);
}

describe('what can be opened', () => {
  const open = (path: string, options: OpenSearcherOptions = {}): Promise<[readonly SearchMode[], string]> =>
    withSearcher(path, options, ({ modes, defaultMode }) => [modes, defaultMode]);

  test('a run knows all it needs', async () => {
    expect(await open(fixture.run)).toEqual([['bm25', 'dense', 'hybrid'], 'dense']);
    expect((await open(fixture.run, { fusion: { method: 'rrf' } }))[1]).toBe('hybrid');
    expect(await open(fixture.run, { modes: ['bm25'] })).toEqual([['bm25'], 'bm25']);
    expect((await open(fixture.run, { reranker: fixture.reranker }))[0]).toContain('cascade');
  });

  test('an index of vectors, with or without its collection', async () => {
    const model = join(fixture.run, 'best');
    expect(await open(await bestIndex(), { model })).toEqual([['dense'], 'dense']);
    expect(await open(await bestIndex(), { model, data: fixture.data })).toEqual([
      ['bm25', 'dense', 'hybrid'],
      'hybrid',
    ]);
    await expect(open(await bestIndex())).rejects.toThrow('an index by itself cannot encode queries');
    await expect(open(await bestIndex(), { model: 'minilm' })).rejects.toThrow(
      'minilm makes vectors of 384 numbers',
    );
  });

  test.each(['max-sim', 'poly'])('an index for rows that %s compares, by no other model', async (scorer) => {
    const model = join(fixture.run, 'best');
    const { vectors } = await openDocumentIndex(await bestIndex());
    await vectors.close();
    const { dimension } = vectors.metadata;
    const folder = join(fixture.folder, `made-for-${scorer}`);
    const rows = new Float32Array(dimension).fill(1);
    await writeVectorIndex(folder, [rows], { dimension, scorer });
    await expect(open(folder, { model })).rejects.toMatchObject({
      message: `${model} compares rows by their best inner product, ${folder} was made for ${scorer}`,
      hint: expect.stringContaining('name the model that encoded the index'),
    });
  });

  test('a BM25 index', async () => {
    const folder = join(fixture.folder, 'bm25');
    await buildBm25Index(folder, fixture.documents);
    expect(await open(folder)).toEqual([['bm25'], 'bm25']);
  });

  test('a collection: words at once, vectors encoded once for a model', async () => {
    const cache = join(fixture.folder, 'collection-cache');
    const steps: string[] = [];
    const options: OpenSearcherOptions = {
      cache,
      model: join(fixture.run, 'best'),
      onProgress: ({ label }) => {
        steps.push(label.split(' ')[0]);
        return { advance: () => {}, finish: () => {} };
      },
    };
    expect(await open(fixture.data, { ...options, model: undefined })).toEqual([['bm25'], 'bm25']);
    expect((await open(fixture.data, options))[0]).toEqual(['bm25', 'dense', 'hybrid']);
    expect((await open(fixture.data, options))[0]).toEqual(['bm25', 'dense', 'hybrid']);
    expect(steps).toEqual(['store', 'index', 'encode']);
  });

  test('what is missing is said', async () => {
    await expect(open(join(fixture.folder, 'nowhere'))).rejects.toThrow('no such run, index or collection');
    await expect(open(join(fixture.run, 'best'))).rejects.toThrow('this is a model, not something to search');
    await expect(open(fixture.data, { modes: ['dense'] })).rejects.toThrow(
      'cannot search in mode "dense": it needs a model',
    );
    await expect(open(fixture.run, { reranker: join(fixture.folder, 'nowhere') })).rejects.toThrow();
    // Any encoder reranks, too.
    expect((await open(fixture.run, { reranker: join(fixture.run, 'best') }))[0]).toContain('cascade');
    await withSearcher(fixture.run, {}, (searcher) => {
      expect(() => searcher.retriever('cascade')).toThrow('it needs a cross-encoder');
    });
    await withSearcher(fixture.data, {}, async (searcher) => {
      await expect(searcher.encode(['x'], 'query')).rejects.toThrow('no model');
    });
  });

  test('a run whose collection was moved still searches its vectors, and says so', async () => {
    const moved = `${fixture.data}-moved`;
    const notes: string[] = [];
    await rename(fixture.data, moved);
    try {
      await withSearcher(fixture.run, { modes: ['dense'], onNote: (note) => notes.push(note) }, async (s) => {
        const [hits] = await s.retriever('dense').search(['gox'], { k: 3 });
        expect(hits).toHaveLength(3);
        const filtered = s.retriever('dense').search(['gox'], { k: 3, filter: { noun: 1 } });
        await expect(filtered).rejects.toThrow('no collection');
      });
    } finally {
      await rename(moved, fixture.data);
    }
    expect(notes).toEqual([expect.stringContaining('name it with --data')]);
  });
});

describe('a collection that has changed since a run encoded it', () => {
  const ids = async (searcher: Searcher, mode: SearchMode, k = 500): Promise<string[]> =>
    (await searcher.retriever(mode).search([fixture.queries[0].text], { k }))[0].map(({ id }) => id);

  /** Opens the run on a collection of these lines. */
  async function onLines<T>(
    name: string,
    change: (lines: string[]) => string[],
    use: (searcher: Searcher, notes: string[]) => Promise<T> | T,
  ): Promise<T> {
    const data = join(fixture.folder, name);
    await cp(fixture.data, data, { recursive: true });
    const corpus = join(data, 'corpus.jsonl');
    const lines = (await readFile(corpus, 'utf8')).trim().split('\n');
    await writeFile(corpus, `${change(lines).join('\n')}\n`);
    const notes: string[] = [];
    const options = {
      data,
      cache: join(fixture.folder, `${name}-cache`),
      onNote: (note: string) => notes.push(note),
    };
    return withSearcher(fixture.run, options, (searcher) => use(searcher, notes));
  }

  const NEW = '{"_id":"new","title":"","text":"zebra"}';

  test('is told of once, and what is gone is not found', async () => {
    await onLines(
      'smaller',
      (lines) => [...lines.slice(100), NEW],
      async (searcher, notes) => {
        const left = new Set(fixture.documents.slice(100).map(({ id }) => id));
        const found = await ids(searcher, 'dense');
        expect(new Set(found)).toEqual(left);
        expect(await ids(searcher, 'dense', 5)).toEqual(found.slice(0, 5));
        for (const id of await ids(searcher, 'hybrid')) expect(left.has(id)).toBe(true);
        expect(notes).toEqual([
          `the collection has changed since it was encoded (documents gone: 100, new: 1); dense search finds neither; to encode it as it is now: nearmiss search ${join(fixture.folder, 'smaller')} --model ${join(fixture.run, 'best')}`,
        ]);
      },
    );
  });

  test('even where there are as many documents as before', async () => {
    const gone = fixture.documents[0].id;
    await onLines(
      'replaced',
      (lines) => [NEW, ...lines.slice(1)],
      async (searcher, notes) => {
        expect(notes).toEqual([expect.stringContaining('documents gone: 1, new: 1')]);
        for (const mode of ['dense', 'bm25'] as const) expect(await ids(searcher, mode)).not.toContain(gone);
        const [[hit]] = await searcher.retriever('bm25').search(['zebras'], { k: 1 });
        expect(hit.id).toBe('new');
      },
    );
  });

  test('is nothing to speak of in another order, nor where nothing has changed', async () => {
    for (const [name, change] of [
      ['same', (lines: string[]) => lines],
      ['turned', (lines: string[]) => lines.reverse()],
    ] as const) {
      await onLines(name, change, async (searcher, notes) => {
        expect(await ids(searcher, 'dense')).toHaveLength(196);
        expect(notes).toEqual([]);
      });
    }
    // The run's own index of words was good enough.
    expect(await readdir(join(fixture.folder, 'same-cache'))).toEqual(['documents']);
  });
});

test('what is damaged in a cache is made again, with a note', async () => {
  const cache = join(fixture.folder, 'damaged-cache');
  const notes: string[] = [];
  const open = (path: string, options: OpenSearcherOptions) =>
    withSearcher(path, { cache, onNote: (note) => notes.push(note), ...options }, async (searcher) => {
      for (const mode of ['bm25', 'dense'] as const) {
        const [hits] = await searcher.retriever(mode).search([fixture.queries[0].text], { k: 3 });
        expect(hits.length).toBeGreaterThan(0);
      }
    });
  const model = join(fixture.run, 'best');
  await open(fixture.data, { model });
  const kept = (await readdir(cache)).filter((name) => /^(bm25|vectors)-/.test(name)).sort();
  expect(kept).toHaveLength(2);
  await truncate(join(cache, kept[0], 'postings.bin'), 8);
  await truncate(join(cache, kept[1], 'ids.txt'), 8);
  await open(fixture.data, { model });
  expect(notes.sort()).toEqual([
    expect.stringMatching(/postings\.bin: expected \d+ bytes, got 8; it is damaged and made again$/),
    expect.stringMatching(/ids\.txt.*; it is damaged and made again$/),
  ]);
  await open(fixture.data, { model });
  expect(notes).toHaveLength(2);

  // A run's own index, too.
  const own = join(fixture.run, 'cache', 'bm25', 'postings.bin');
  const whole = await readFile(own);
  await truncate(own, 8);
  await open(fixture.run, {});
  expect(notes[2]).toMatch(/postings\.bin: expected \d+ bytes, got 8; another index is used in its place$/);
  await writeFile(own, whole);
});

test('the version changes with the collection, and nothing else', async () => {
  const data = join(fixture.folder, 'growing');
  await cp(fixture.data, data, { recursive: true });
  await rm(join(data, '.nearmiss'), { recursive: true, force: true });
  const version = () => withSearcher(data, {}, (searcher) => [searcher.version, searcher.documents.count]);
  const before = await version();
  expect(await version()).toEqual(before);
  await appendFile(join(data, 'corpus.jsonl'), '{"_id":"new","title":"","text":"zebra"}\n');
  const after = await version();
  expect(after[1]).toBe(197);
  expect(after[0]).not.toBe(before[0]);
  await withSearcher(data, {}, async (searcher) => {
    const [[hit]] = await searcher.retriever('bm25').search(['zebras'], { k: 1 });
    expect(hit.id).toBe('new');
  });
});

test('the version changes with the cross-encoder, what it reranks, and how hybrid fuses', async () => {
  const newer = join(fixture.folder, 'newer-reranker');
  const model = await loadEncoderModel(join(fixture.run, 'best'));
  await saveCrossEncoder(newer, createCrossEncoder(model, { seed: 6 }));
  const copy = join(fixture.folder, 'copied-reranker');
  await cp(fixture.reranker, copy, { recursive: true });
  const version = (options: OpenSearcherOptions): Promise<string> =>
    withSearcher(fixture.run, options, (searcher) => searcher.version);
  const { reranker } = fixture;
  const versions = [
    await version({}),
    await version({ reranker }),
    await version({ reranker: newer }),
    await version({ reranker, rerankDepth: 7 }),
    await version({ reranker, rerankFirst: 'bm25' }),
    await version({ fusion: { method: 'linear', weights: [1, 0.5] } }),
    await version({ fusion: { method: 'linear', weights: [1, 0.25] } }),
  ];
  expect(new Set(versions).size).toBe(versions.length);
  expect(await version({ reranker: copy, rerankDepth: 100, rerankFirst: 'dense' })).toBe(versions[1]);
  expect(await version({ reranker, inWorkers: true })).toBe(versions[1]);
});

test('a cascade reranks what the target is searched in, or what is asked for', async () => {
  const { reranker } = fixture;
  const partsOf = (options: OpenSearcherOptions, choice?: CascadeChoice): Promise<string[]> =>
    withSearcher(fixture.run, { reranker, rerankDepth: 5, ...options }, async (searcher) => {
      const [[hit]] = await searcher
        .retriever('cascade', choice)
        .search([fixture.documents[20].text], { k: 1, explain: true });
      return hit.parts!.map(({ name }) => name);
    });
  expect(await partsOf({})).toEqual(['dense', 'cross-encoder']);
  expect(await partsOf({}, { first: 'bm25' })).toEqual(['bm25', 'cross-encoder']);
  expect(await partsOf({ fusion: { method: 'rrf' } })).toEqual(['dense', 'bm25', 'cross-encoder']);
  expect(await partsOf({ rerankFirst: 'bm25' })).toEqual(['bm25', 'cross-encoder']);
  expect(await partsOf({ rerankFirst: 'bm25' }, { first: 'dense' })).toEqual(['dense', 'cross-encoder']);
  const words = { reranker, rerankFirst: 'bm25', modes: ['cascade'] } as const;
  expect(await withSearcher(fixture.run, words, ({ modes }) => modes)).toEqual(['bm25', 'cascade']);
  const noVectors = openSearcher(fixture.data, { reranker, rerankFirst: 'dense' });
  await expect(noVectors).rejects.toThrow('cannot search in mode "dense": it needs a model');
});

test('a cascade reads as many hits as asked for', async () => {
  const { reranker } = fixture;
  await withSearcher(fixture.run, { reranker, rerankDepth: 3 }, async (searcher) => {
    const read = async (k: number, choice?: CascadeChoice): Promise<string[]> => {
      const [hits] = await searcher.retriever('cascade', choice).search(['gox'], { k });
      return hits.map(({ id }) => id);
    };
    const [best] = await searcher.retriever('dense').search(['gox'], { k: 5 });
    const found = best.map(({ id }) => id);
    expect(await read(1, { depth: 1 })).toEqual(found.slice(0, 1));
    expect((await read(5)).sort()).toEqual([...found].sort());
    expect(found.slice(0, 3)).toEqual(expect.arrayContaining(await read(1)));
  });
});

test.each(['en', 'unicode'] as const)('a BM25 index of other texts is made anew (%s)', async (language) => {
  const data = join(fixture.folder, `edited-${language}`);
  await cp(fixture.data, data, { recursive: true });
  await rm(join(data, '.nearmiss'), { recursive: true, force: true });
  const index = join(fixture.folder, `stale-bm25-${language}`);
  await buildBm25Index(index, (await openDataset(data)).documents(), { language });
  const built: string[] = [];
  const found = (query: string): Promise<Hit[]> =>
    withSearcher(
      index,
      {
        data,
        onProgress: ({ label }) => {
          built.push(label);
          return { advance: () => {}, finish: () => {} };
        },
      },
      async (searcher) => (await searcher.retriever('bm25').search([query], { k: 5 }))[0],
    );
  expect(await found('zebras')).toEqual([]);
  expect(built).toEqual(['store documents']);
  // As many documents as before.
  const corpus = join(data, 'corpus.jsonl');
  const [first, ...rest] = (await readFile(corpus, 'utf8')).trim().split('\n');
  const edited = { ...JSON.parse(first), text: 'many zebras' };
  await writeFile(corpus, [JSON.stringify(edited), ...rest, ''].join('\n'));
  expect(await found('zebras')).toMatchObject([{ id: edited._id }]);
  expect(await found('zebra')).toHaveLength(language === 'en' ? 1 : 0);
  expect(built).toEqual(['store documents', 'store documents', 'index words']);
});

test('tuned weights are kept and used', async () => {
  const cache = join(fixture.folder, 'tuning');
  const tuned = await tuneHybrid(fixture.run, { split: 'dev', measure: 'RR@10', cache, threads: 1 });
  expect(tuned.weights).toHaveLength(2);
  await withSearcher(fixture.run, { cache }, async (searcher) => {
    expect(searcher.defaultMode).toBe('hybrid');
    const [hits] = await searcher
      .retriever('hybrid')
      .search([fixture.queries[0].text], { k: 3, explain: true });
    for (const { parts } of hits) {
      parts!.forEach(({ score, contribution }, i) => {
        if (score !== undefined) expect(contribution).toBeCloseTo(tuned.weights[i] * score, 5);
      });
    }
  });
});

/** Milliseconds that this thread, not the process, has computed; waiting for a busy machine does not count. */
function threadMs(): number {
  const fields = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const [user, system] = [fields[11], fields[12]].map(Number);
  return 10 * (user + system);
}

test.skipIf(process.platform !== 'linux')('in workers the calling thread computes little', async () => {
  // Enough to compute that handing it over does not count.
  const texts = Array.from({ length: 5000 }, (_, i) => `${fixture.documents[i % 196].text} ${i}`);
  const spent = (inWorkers: boolean): Promise<number[]> =>
    withSearcher(fixture.run, { inWorkers, reranker: fixture.reranker }, async (searcher) => {
      const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      // The least of some rounds: a garbage collection is not what is asked about.
      for (let round = 0; round < 3; round++) {
        const before = threadMs();
        await searcher.encode(texts, 'document');
        const between = threadMs();
        await searcher.reranker!.score(fixture.queries[0].text, texts);
        least[0] = Math.min(least[0], between - before);
        least[1] = Math.min(least[1], threadMs() - between);
      }
      return least;
    });
  const [here, inWorkers] = [await spent(false), await spent(true)];
  here.forEach((ms, i) => {
    expect({ here, inWorkers, less: inWorkers[i] < ms / 2 }).toMatchObject({ less: true });
  });
});
