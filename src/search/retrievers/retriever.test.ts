import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Document, fullText } from '../../data/dataset.js';
import { referenceRanking } from '../../index/bm25/reference.fixture.js';
import { compareHits } from '../hits.js';
import { openSearcher } from '../open/open-searcher.js';
import { makeSearchFixture, type SearchFixture } from '../search.fixture.js';
import type { OpenSearcherOptions, Searcher } from '../searcher.js';
import { type RetrieverCase, testRetriever } from './retriever.conformance.js';

let fixture: SearchFixture;
let bruteForce: BruteForce;
beforeAll(async () => {
  fixture = await makeSearchFixture();
  bruteForce = new BruteForce(fixture.documents, await openSearcher(fixture.run, settings()));
});
afterAll(async () => {
  await bruteForce.searcher.close();
  await fixture.remove();
});

/** Among 196 documents the fused lists are complete, so brute force needs no depth; the cascade's is 20. */
const RERANK_DEPTH = 20;

function settings(): OpenSearcherOptions {
  return { threads: 1, reranker: fixture.reranker, rerankDepth: RERANK_DEPTH };
}

/** What each mode must find, from formulas and from every document's vector. */
class BruteForce {
  readonly #vectors: Promise<Float32Array>;

  constructor(
    readonly documents: readonly Document[],
    readonly searcher: Searcher,
  ) {
    this.#vectors = searcher.encode(documents.map(fullText), 'document');
  }

  async bm25(query: string, allowed: readonly Document[]): Promise<Map<string, number>> {
    const ids = new Set(allowed.map(({ id }) => id));
    const ranking = referenceRanking([...this.documents], query);
    const scores = ranking.map(({ document, score }) => [this.documents[document].id, score] as const);
    return new Map(scores.filter(([id]) => ids.has(id)));
  }

  async dense(query: string, allowed: readonly Document[]): Promise<Map<string, number>> {
    const [vectors, vector] = await Promise.all([this.#vectors, this.searcher.encode([query], 'query')]);
    const product = (row: number): number =>
      vector.reduce((sum, value, i) => sum + value * vectors[row * vector.length + i], 0);
    return new Map(allowed.map((document) => [document.id, product(this.documents.indexOf(document))]));
  }

  async hybrid(query: string, allowed: readonly Document[]): Promise<Map<string, number>> {
    const parts = [await this.dense(query, allowed), await this.bm25(query, allowed)].map(best);
    const ids = new Set(parts.flatMap((scores) => [...scores.keys()]));
    const lists = parts.map((scores) => deviations(scores, ids.size));
    const score = (id: string): number =>
      lists.reduce(
        (sum, scores) =>
          sum + (scores.get(id) ?? scores.get('') ?? (scores.size === 0 ? 0 : Math.min(...scores.values()))),
        0,
      );
    return new Map([...ids].map((id) => [id, score(id)]));
  }

  async cascade(
    first: FirstMode,
    query: string,
    allowed: readonly Document[],
    k: number,
  ): Promise<Map<string, number>> {
    const candidates = ranked(await this[first](query, allowed)).slice(0, Math.max(k, RERANK_DEPTH));
    const texts = candidates.map(({ id }) => fullText(this.documents.find((other) => other.id === id)!));
    if (texts.length === 0) return new Map();
    const scores = await this.searcher.reranker!.score(query, texts);
    return new Map(candidates.map(({ id }, i) => [id, scores[i]]));
  }
}

/** Hits of each part that are fused. */
const FUSED_DEPTH = 200;

function best(scores: ReadonlyMap<string, number>): Map<string, number> {
  return new Map(
    ranked(scores)
      .slice(0, FUSED_DEPTH)
      .map(({ id, score }) => [id, score]),
  );
}

/** Scores in standard deviations from their mean; a list that lacks what others found has a zero for it. */
function deviations(scores: ReadonlyMap<string, number>, found: number): Map<string, number> {
  const hits = ranked(scores);
  const lacks = hits.length > 0 && hits.length < Math.min(FUSED_DEPTH, found);
  if (lacks && hits.every(({ score }) => score > 0)) hits.push({ id: '', score: 0 });
  const values = hits.map(({ score }) => score);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  return new Map(hits.map(({ id, score }) => [id, deviation === 0 ? 0 : (score - mean) / deviation]));
}

function ranked(scores: ReadonlyMap<string, number>): { id: string; score: number }[] {
  return [...scores].map(([id, score]) => ({ id, score })).sort(compareHits);
}

const FIRST_MODES = ['bm25', 'dense', 'hybrid'] as const;
type FirstMode = (typeof FIRST_MODES)[number];

const PARTS: Record<FirstMode, string[]> = {
  bm25: ['bm25'],
  dense: ['dense'],
  hybrid: ['dense', 'bm25'],
};

describe.each([
  ['in this thread', {}],
  ['in workers', { inWorkers: true }],
])('%s', (_, options) => {
  let searcher: Searcher;
  beforeAll(async () => {
    const cache = join(fixture.folder, 'cache');
    searcher = await openSearcher(fixture.run, { ...settings(), ...options, cache });
  });
  afterAll(() => searcher.close());

  const cases = (queries: number): Pick<RetrieverCase, 'documents' | 'queries'> => ({
    documents: fixture.documents,
    queries: fixture.queries.slice(0, queries).map(({ text }) => text),
  });

  for (const mode of FIRST_MODES) {
    testRetriever(
      mode,
      (): RetrieverCase => ({
        ...cases(12),
        retriever: searcher.retriever(mode),
        score: (query, allowed) => bruteForce[mode](query, allowed),
        parts: PARTS[mode],
      }),
    );
    testRetriever(
      `cascade over ${mode}`,
      (): RetrieverCase => ({
        ...cases(2),
        retriever: searcher.retriever('cascade', { first: mode }),
        score: (query, allowed, k) => bruteForce.cascade(mode, query, allowed, k),
        parts: [...PARTS[mode], 'cross-encoder'],
      }),
    );
  }
});
