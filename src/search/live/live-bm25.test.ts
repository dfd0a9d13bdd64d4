import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Document, fullText } from '../../data/dataset.js';
import { CODED_LENGTHS, encodeLength } from '../../index/bm25/document-length.js';
import { DEFAULT_B, DEFAULT_K1 } from '../../index/bm25/index.js';
import { analyze, englishAnalyzer } from '../../text/analyzers/index.js';
import { compileFilter, type DocumentFilter } from '../filter/filter.js';
import { openSearcher } from '../open/open-searcher.js';
import type { Searcher } from '../searcher.js';
import { openLiveSearcher } from './index.js';
import { temporaryFolder, writeCollection } from './live.fixture.js';

const WORDS = ['apple', 'pear', 'plum', 'cherry', 'quince', 'melon', 'grape', 'fig'];
const NEW_WORDS = ['durian', 'lychee'];
const IDS = Array.from({ length: 24 }, (_, i) => `d${i}`);

const BASE: Document[] = IDS.slice(0, 16).map((id, i) => ({
  id,
  title: i % 3 === 0 ? WORDS[i % 8] : '',
  text: Array.from({ length: 1 + ((i * 7) % 60) }, (_, j) => WORDS[(i * j + j * j) % (2 + (i % 7))]).join(
    ' ',
  ),
  metadata: { even: i % 2 === 0 },
}));

/** BM25 by its formula, with the statistics of the base. */
function reference(
  documents: ReadonlyMap<string, Document>,
  query: string,
  { k, filter }: { k: number; filter?: DocumentFilter },
): Map<string, number> {
  const terms = (document: Document): string[] => analyze(englishAnalyzer, fullText(document));
  const base = BASE.map(terms);
  const live = [...documents.values()].map(terms);
  const average = base.reduce((sum, each) => sum + each.length, 0) / base.length;
  const frequency = (lists: string[][], term: string): number =>
    lists.filter((list) => list.includes(term)).length;
  const matches = compileFilter(filter ?? {});
  const scores: [string, number][] = [];
  for (const document of documents.values()) {
    if (!matches(document.metadata)) continue;
    const own = terms(document);
    const length = CODED_LENGTHS[encodeLength(own.length)];
    let score = 0;
    for (const term of analyze(englishAnalyzer, query)) {
      const df = frequency(base, term) || frequency(live, term);
      const tf = own.filter((each) => each === term).length;
      const idf = Math.log(1 + (base.length - df + 0.5) / (df + 0.5));
      score += (idf * tf) / (tf + DEFAULT_K1 * (1 - DEFAULT_B + (DEFAULT_B * length) / average));
    }
    if (score > 0) scores.push([document.id, score]);
  }
  return new Map(scores.sort((a, b) => b[1] - a[1]).slice(0, k));
}

async function expectAsModel(
  searcher: Searcher,
  documents: ReadonlyMap<string, Document>,
  query: string,
  options: { k: number; filter?: DocumentFilter },
): Promise<void> {
  const expected = reference(documents, query, options);
  const all = reference(documents, query, { ...options, k: Number.POSITIVE_INFINITY });
  const [hits] = await searcher.retriever('bm25').search([query], { ...options, explain: true });
  expect(hits).toHaveLength(expected.size);
  const scores = [...expected.values()];
  hits.forEach(({ id, score, parts }, i) => {
    expect(score).toBeCloseTo(scores[i], 5);
    expect(all.get(id)).toBeCloseTo(score, 5);
    const [part] = parts!;
    expect(part).toMatchObject({ name: 'bm25', score, rank: i + 1 });
    expect(part.terms!.reduce((sum, term) => sum + term.score, 0)).toBeCloseTo(score, 9);
    if (i > 0 && score === hits[i - 1].score) expect(id > hits[i - 1].id).toBe(true);
  });
  expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length);
  expect(searcher.documents.count).toBe(documents.size);
  expect([...searcher.documents.ids()].sort()).toEqual([...documents.keys()].sort());
  expect(await searcher.documents.getAll(IDS)).toEqual(IDS.map((id) => documents.get(id)));
}

const word = fc.constantFrom(...WORDS, ...NEW_WORDS);
const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(' '));
const id = fc.constantFrom(...IDS);
const document: fc.Arbitrary<Document> = fc.record(
  { id, text, title: word, metadata: fc.record({ even: fc.boolean() }) },
  { requiredKeys: ['id', 'text'] },
);
const action = fc.oneof(
  { weight: 5, arbitrary: fc.record({ upsert: fc.array(document, { minLength: 1, maxLength: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ remove: fc.array(id, { minLength: 1, maxLength: 8 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      query: fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
      k: fc.integer({ min: 1, max: 12 }),
      filter: fc.constantFrom(undefined, { even: true }),
    }),
  },
  { weight: 1, arbitrary: fc.constant('reopen' as const) },
  { weight: 1, arbitrary: fc.constant('snapshot' as const) },
);

test('any sequence of writes leaves what a plain map and the formula say, snapshots included', async () => {
  const folder = await temporaryFolder();
  const data = join(folder, 'data');
  await writeCollection(data, BASE);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 25 }), async (actions) => {
      const state = join(folder, `state-${run++}`);
      const open = async () => openLiveSearcher(await openSearcher(data), { state });
      let live = await open();
      const documents = new Map(BASE.map((each) => [each.id, each]));
      let snapshots: { searcher: Searcher; documents: Map<string, Document> }[] = [];
      for (const each of actions) {
        const before = live.version;
        if (each === 'reopen') {
          for (const { searcher } of snapshots) await searcher.close();
          snapshots = [];
          await live.close();
          live = await open();
          expect(live.version).toBe(before);
        } else if (each === 'snapshot') {
          snapshots.push({ searcher: live.snapshot(), documents: new Map(documents) });
        } else if ('upsert' in each) {
          const ids = new Set(each.upsert.map((one) => one.id));
          const known = [...ids].filter((one) => documents.has(one)).length;
          const result = await live.upsert(each.upsert);
          expect(result).toEqual({ version: live.version, added: ids.size - known, replaced: known });
          expect(live.version).not.toBe(before);
          for (const one of each.upsert) documents.set(one.id, one);
        } else if ('remove' in each) {
          const known = new Set(each.remove.filter((one) => documents.has(one))).size;
          expect(await live.remove(each.remove)).toEqual({ version: live.version, removed: known });
          expect(live.version === before).toBe(known === 0);
          for (const one of each.remove) documents.delete(one);
        } else {
          await expectAsModel(live, documents, each.query, each);
          for (const old of snapshots) await expectAsModel(old.searcher, old.documents, each.query, each);
        }
      }
      await expectAsModel(live, documents, 'apple fig durian', { k: 5 });
      for (const old of snapshots) {
        await expectAsModel(old.searcher, old.documents, 'apple fig durian', { k: 5 });
        await old.searcher.close();
      }
      await live.close();
    }),
    { numRuns: 60, seed: 5 },
  );
});

test('an added document scores bit for bit as the same text in the base', async () => {
  const folder = await temporaryFolder();
  await writeCollection(join(folder, 'data'), BASE);
  const live = await openLiveSearcher(join(folder, 'data'), { state: join(folder, 'state') });
  const copies = BASE.map((each) => ({ ...each, id: `copy-${each.id}` }));
  await live.upsert(copies);
  const [hits] = await live.retriever('bm25').search(['apple plum plum fig'], { k: 100 });
  const scores = new Map(hits.map((hit) => [hit.id, hit.score]));
  expect(scores.size).toBeGreaterThan(10);
  for (const each of BASE) expect(scores.get(`copy-${each.id}`)).toBe(scores.get(each.id));
  await live.close();
});
