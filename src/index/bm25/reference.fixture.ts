import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Document, fullText } from '../../data/dataset.js';
import { analyze, analyzerFor, type Language } from '../../text/analyzers/index.js';
import type { Bm25Index } from './bm25-index.js';
import { type BuildOptions, buildBm25Index } from './build.js';
import { CODED_LENGTHS, encodeLength } from './document-length.js';
import { openBm25Index } from './open.js';

/** Builds an index in a temporary folder, opens it and hands it to `use`. */
export async function withIndex<T>(
  documents: Iterable<Document> | AsyncIterable<Document>,
  options: BuildOptions,
  use: (index: Bm25Index, folder: string) => T | Promise<T>,
): Promise<T> {
  const parent = await mkdtemp(join(tmpdir(), 'nearmiss-bm25-'));
  try {
    const folder = join(parent, 'index');
    await buildBm25Index(folder, documents, options);
    return await use(await openBm25Index(folder), folder);
  } finally {
    await rm(parent, { recursive: true });
  }
}

/** Documents without ids of their own. */
export function numbered(texts: string[]): Document[] {
  return texts.map((text, i) => ({ id: `d${i}`, text }));
}

/** BM25 from its formula, on texts, without any index: what a search must find. */
export function referenceRanking(
  documents: Document[],
  query: string,
  { k1 = 0.9, b = 0.4, language = 'en' }: { k1?: number; b?: number; language?: Language } = {},
): { document: number; score: number }[] {
  const analyzer = analyzerFor(language);
  const bags = documents.map((document) => analyze(analyzer, fullText(document)));
  const filled = bags.filter((bag) => bag.length > 0).length;
  const average = bags.reduce((sum, bag) => sum + bag.length, 0) / filled;
  const scores = bags.map((bag) => {
    let score = 0;
    for (const term of analyze(analyzer, query)) {
      const tf = bag.filter((word) => word === term).length;
      if (tf === 0) continue;
      const df = bags.filter((other) => other.includes(term)).length;
      const idf = Math.log(1 + (filled - df + 0.5) / (df + 0.5));
      const length = CODED_LENGTHS[encodeLength(bag.length)];
      score += (idf * tf) / (tf + k1 * (1 - b + (b * length) / average));
    }
    return score;
  });
  return scores
    .map((score, document) => ({ document, score }))
    .filter(({ score }) => score > 0)
    .sort((x, y) => y.score - x.score || x.document - y.document);
}
