/**
 * BM25 and learned sparse retrievers side by side: quality, how many words texts have, size, speed, and whether the pruned search
 * finds what comparing everything finds. One JSON line a system.
 *
 *   npm run bench:sparse -- --data data/medquad --split test --deepct runs/deepct --unicoil runs/unicoil --splade runs/splade --splade-doc runs/splade-doc
 *   npm run bench:sparse -- --data data/medquad --split test --expanded data/medquad-expanded --tune train
 *
 * DeepCT and HDCT may also be indexes that `nearmiss bm25 index --weights` made; how long their model takes is not measured then.
 * BM25 (and doc2query's, over the collection that `nearmiss expand` wrote) is tuned on `--tune`; runs are searched as they are served.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { type Dataset, openDataset } from '../src/data/index.js';
import { evaluate, type Ranking, type Run } from '../src/evaluate/index.js';
import { tuneBm25 } from '../src/evaluate/tune-bm25.js';
import {
  type Bm25Index,
  Bm25Searcher,
  bm25,
  buildBm25Index,
  openBm25Index,
  type Similarity,
} from '../src/index/bm25/index.js';
import { ImpactIndex } from '../src/index/impacts/impact-index.js';
import { openDocumentIndex } from '../src/index/vectors/index.js';
import { rowsOf } from '../src/model/encoder/encoded-texts.js';
import { Encoder, loadEncoderModel } from '../src/model/index.js';
import { queryImpacts } from '../src/model/scorer/impact.js';
import { documentSplit } from '../src/recipe/document-split.js';
import { isRun, readRunDescription } from '../src/run/run-description.js';
import { RunDirectory } from '../src/run/run-directory.js';
import { type SplitQueries, splitQueries } from '../src/systems/split-queries.js';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    split: { type: 'string', default: 'test' },
    tune: { type: 'string', default: 'dev' },
    expanded: { type: 'string' },
    deepct: { type: 'string' },
    hdct: { type: 'string' },
    unicoil: { type: 'string' },
    splade: { type: 'string' },
    'splade-doc': { type: 'string' },
    queries: { type: 'string', default: '0' },
    threads: { type: 'string', default: '1' },
  },
});
if (!values.data) throw new Error('--data DIR: the collection to measure on');
const session = { threads: Number(values.threads) };
const dataset = await openDataset(values.data);
const asked = await splitQueries(dataset, { split: values.split, limit: Number(values.queries) });
const scratch = await mkdtemp(join(tmpdir(), 'nearmiss-bench-sparse-'));

/** What is measured of a system besides what it finds. */
interface Measured {
  nonZerosDocument: number;
  nonZerosQuery: number;
  indexMb: number;
  /** Only where a run tells which model reads documents, and how. */
  msPerPassage: number;
}

type Find = (text: string, exhaustive: boolean) => Promise<{ ids: string[]; scores: Float64Array }>;

async function report(system: string, find: Find, measured: Measured): Promise<void> {
  const rankings = new Map<string, Ranking>();
  const run: Run = { tag: system, rankings };
  const started = performance.now();
  for (const { id, text } of asked.queries) rankings.set(id, await find(text, false));
  const seconds = (performance.now() - started) / 1000;
  let prunedIsExact = true;
  for (const { id, text } of asked.queries) {
    prunedIsExact &&= isDeepStrictEqual(rankings.get(id), await find(text, true));
  }
  const { mean } = evaluate(run, asked.qrels, ['nDCG@10', 'RR@10'], { complete: true });
  const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
  const line = {
    system,
    ndcgAt10: rounded(mean['nDCG@10'], 4),
    rrAt10: rounded(mean['RR@10'], 4),
    nonZerosDocument: rounded(measured.nonZerosDocument, 1),
    nonZerosQuery: rounded(measured.nonZerosQuery, 1),
    indexMb: rounded(measured.indexMb, 2),
    qpsTop10: rounded(asked.queries.length / seconds, 1),
    msPerPassage: rounded(measured.msPerPassage, 2),
    prunedIsExact,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function megabytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0) / 1e6;
}

function ofIndex(index: Bm25Index, similarity?: Similarity): { find: Find; words: number } {
  const searcher = new Bm25Searcher(index, { similarity });
  const unpruned = new Bm25Searcher(index, { similarity, prune: false });
  const find: Find = async (text, exhaustive) => {
    const { ids, scores } = (exhaustive ? unpruned : searcher).search(text, 10);
    return { ids: Array.from(ids, (id) => index.documentId(id)), scores };
  };
  const counts = asked.queries.map(({ text }) => searcher.parse(text).size);
  return { find, words: counts.reduce((sum, count) => sum + count, 0) / counts.length };
}

/** BM25 over counts, with the k1 and b that serve another split best. */
async function tuned(system: string, documents: Dataset): Promise<void> {
  const folder = join(scratch, system);
  const meta = await buildBm25Index(folder, documents.documents());
  const index = await openBm25Index(folder);
  const on: SplitQueries = await splitQueries(dataset, { split: values.tune, limit: 500 });
  const [best] = await tuneBm25(index, on.queries, on.qrels, { measure: 'nDCG@10', threads: 1 });
  const { find, words } = ofIndex(index, bm25(best));
  await report(system, find, {
    nonZerosDocument: meta.postings / meta.documents,
    nonZerosQuery: words,
    indexMb: await megabytes(folder),
    msPerPassage: 0,
  });
}

/** How long a run's model takes for a document, over a few of them. */
async function encodingTime(path: string): Promise<number> {
  const run = new RunDirectory(path);
  const { recipe } = await readRunDescription(run);
  const encoder = await Encoder.create(await loadEncoderModel(run.file('best')), { session });
  const texts: string[] = [];
  for await (const { title, text } of dataset.documents()) {
    if (texts.push(title ? `${title} ${text}` : text) === 256) break;
  }
  const split = documentSplit(recipe.model);
  await encoder.encode(texts.slice(0, 16), { use: 'document', split });
  const started = performance.now();
  await encoder.encode(texts, { use: 'document', split });
  const elapsed = performance.now() - started;
  await encoder.release();
  return elapsed / texts.length;
}

async function bestIndex(path: string): Promise<string> {
  const run = new RunDirectory(path);
  const best = await run.readJson<{ step: number }>('best.json');
  if (!best) throw new Error(`${path}: nothing of this run has been measured yet`);
  return run.stepPath('index', best.step);
}

/** @param path a run, or an index that `nearmiss bm25 index --weights` made */
async function weighed(system: string, path: string): Promise<void> {
  const isTrained = await isRun(path);
  const folder = isTrained ? await bestIndex(path) : path;
  const index = await openBm25Index(folder);
  const { find, words } = ofIndex(index);
  await report(system, find, {
    nonZerosDocument: index.meta.postings / index.meta.documents,
    nonZerosQuery: words,
    indexMb: await megabytes(folder),
    msPerPassage: isTrained ? await encodingTime(path) : 0,
  });
}

async function sparse(system: string, path: string): Promise<void> {
  const folder = await bestIndex(path);
  const documents = await openDocumentIndex(folder);
  if (!(documents.vectors instanceof ImpactIndex)) throw new Error(`${path}: expected an index of weights`);
  const { postings } = documents.vectors;
  const encoder = await Encoder.create(await loadEncoderModel(new RunDirectory(path).file('best')), {
    session,
  });
  let words = 0;
  await report(
    system,
    async (text, exhaustive) => {
      const encoded = await encoder.encode([text], { use: 'query' });
      if (!exhaustive) words += queryImpacts(rowsOf(encoded, 0)).size;
      const { vectors, offsets: queryOffsets } = encoded;
      const { ids, scores } = await documents.search(vectors, { k: 10, queryOffsets, exhaustive });
      const found = Array.from(ids).filter((id) => id >= 0);
      return {
        ids: found.map((id) => documents.ids!.idAt(id)),
        scores: Float64Array.from(scores.subarray(0, found.length)),
      };
    },
    {
      nonZerosDocument: postings.meta.postings / postings.meta.documents,
      get nonZerosQuery() {
        return words / asked.queries.length;
      },
      indexMb: await megabytes(folder),
      msPerPassage: await encodingTime(path),
    },
  );
  await encoder.release();
  await documents.close();
}

try {
  await tuned('bm25', dataset);
  if (values.expanded) await tuned('doc2query', await openDataset(values.expanded));
  if (values.deepct) await weighed('deepct', values.deepct);
  if (values.hdct) await weighed('hdct', values.hdct);
  if (values.unicoil) await sparse('unicoil', values.unicoil);
  if (values.splade) await sparse('splade', values.splade);
  if (values['splade-doc']) await sparse('splade-doc', values['splade-doc']);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
