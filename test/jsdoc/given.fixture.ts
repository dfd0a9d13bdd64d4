import { readFile, writeFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { writeJsonFile } from '../../src/base/json-file.js';
import { gather } from '../../src/data/data.fixture.js';
import { documentTexts, openDataset, type Qrels } from '../../src/data/index.js';
import { evaluate } from '../../src/evaluate/index.js';
import { type Bm25Index, Bm25Searcher, openBm25Index } from '../../src/index/bm25/index.js';
import { createVectorIndex, type VectorIndexBuilder } from '../../src/index/vectors/index.js';
import { Encoder, loadEncoderModel, VectorFile, VectorFileWriter } from '../../src/model/index.js';
import {
  type CandidateTable,
  listsFromRun,
  loadMiningData,
  type MiningData,
  mine,
  type QueryText,
  type RankedList,
  skipRanks,
} from '../../src/negatives/index.js';
import { openSearcher } from '../../src/search/index.js';
import { Tokenizer } from '../../src/text/index.js';
import { loadRecipe } from '../../src/train/index.js';
import { runOf } from './collection.fixture.js';
import { DIMENSION, someVectors } from './world.fixture.js';

const dataset = () => openDataset('data/scifact');
const tokenizer = () => Tokenizer.load('models/minilm');
const bm25Index = (): Promise<Bm25Index> => openBm25Index('indexes/scifact');
const mining = async (): Promise<MiningData> => loadMiningData(await dataset(), { split: 'train' });
const devQrels = async (): Promise<Qrels> => (await dataset()).qrels('dev');
const builder = async (): Promise<VectorIndexBuilder> => {
  const started = createVectorIndex({ type: 'flat', dimension: DIMENSION });
  await started.add(someVectors(3));
  return started;
};
const lists = async (): Promise<Iterable<RankedList>> => {
  const { queryIds, documents } = await mining();
  return listsFromRun(runOf('bm25', 1), { queries: queryIds, documents });
};
const queryTexts = async (): Promise<QueryText[]> =>
  (await mining()).queries.map(({ text }, query) => ({ query, text }));
const examples = async (): Promise<MiningData> =>
  loadMiningData(await openDataset('nq-train.json'), { split: 'train' });
const table = async (): Promise<CandidateTable> => {
  const { queries, documents, positives } = await mining();
  const mined = await mine({
    queryCount: queries.length,
    documentCount: documents.size,
    depth: 10,
    source: 'bm25',
    lists: await lists(),
    positives: positives.of,
  });
  return mined.table;
};

/**
 * What the examples of a room, a folder or a file use without making it, by name. Real parts on the files of
 * {@link fillWorld}, each made anew when an example asks for it.
 */
export const given = {
  'analyze/': {
    distances: () => Float64Array.from({ length: 16 }, (_, i) => Math.abs((i >> 2) - (i & 3)) ** 2),
    writeFile: () => writeFile,
  },
  'base/': {
    add: () => (_document: string) => undefined,
    documents: () => ['near', 'miss'],
    scores: () => Float32Array.of(0.2, 0.9, 0.5),
    Worker: () => Worker,
    writeJsonFile: () => writeJsonFile,
    z: () => z,
  },
  'cli/': { readFile: () => readFile },
  'data/': {
    dataset,
    qrels: devQrels,
    source: async () => documentTexts(await dataset()),
    tokenizer,
  },
  'examples/': { dataset },
  'engine/': { layer: () => 3, step: () => 20 },
  'evaluate/': {
    ance: () => runOf('ance', 2),
    bm25: () => runOf('bm25', 1),
    dataset,
    qrels: devQrels,
    run: () => runOf('bm25', 1),
  },
  'evaluate/significance/': {
    ance: async () => evaluate(runOf('ance', 2), await devQrels(), ['nDCG@10']),
    bm25: async () => evaluate(runOf('bm25', 1), await devQrels(), ['nDCG@10']),
  },
  'evaluate/tune-bm25.ts': {
    dataset,
    index: bm25Index,
    queries: async () => (await gather(await dataset())).queries,
  },
  'index/bm25/': { index: bm25Index, searcher: async () => new Bm25Searcher(await bm25Index()) },
  'index/build-vectors.ts': { file: () => VectorFile.open('corpus.npy'), query: () => someVectors(1) },
  'index/vectors/': { builder, query: () => someVectors(1) },
  'model/encoder/': {
    dataset,
    encoder: async () => Encoder.create(await loadEncoderModel('runs/medquad/best')),
    writer: () => VectorFileWriter.create('queries.npy', { dimension: 32, ids: true }),
  },
  'model/tensors/': { batches: () => [{ vectors: someVectors(2), ids: ['d0', 'd1'] }], builder },
  'negatives/': {
    dataset,
    documents: async () => (await mining()).documents,
    positives: async () => (await mining()).positives,
    queries: async () => (await mining()).queryIds,
    query: () => 0,
    seed: () => 42,
    step: () => 20,
    table,
  },
  'negatives/candidates/candidate-table.ts': {
    documentCount: async () => (await mining()).documents.size,
    lists,
    positives: async () => (await mining()).positives.of,
    queryCount: async () => (await mining()).queries.length,
    rules: () => [skipRanks(1)],
  },
  'negatives/lists/from-bm25.ts': { queries: queryTexts },
  'negatives/lists/from-examples.ts': {
    dataset: () => openDataset('nq-train.json'),
    documents: async () => (await examples()).documents,
    queries: async () => (await examples()).queryIds,
  },
  'negatives/lists/from-vectors.ts': {
    index: async () => (await builder()).finish(),
    vectors: () => someVectors(2),
  },
  'negatives/mine.ts': {
    documentCount: async () => (await mining()).documents.size,
    index: bm25Index,
    positives: async () => (await mining()).positives,
    queries: queryTexts,
  },
  'recipe/': {
    origins: async () => (await loadRecipe('tiny')).origins,
    recipe: async () => (await loadRecipe('tiny')).recipe,
  },
  'search/': {
    document: async () => (await gather(await dataset())).documents[0],
    searcher: () => openSearcher('data/scifact', { modes: ['bm25'] }),
    encodeAll: () => async (texts: string[]) => texts.map(({ length }) => Float32Array.of(length)),
  },
  'search/fusion/': { bm25: () => runOf('bm25', 1), dense: () => runOf('dense', 2), devQrels },
  'base/log/': {
    apply: () => (_record: Buffer) => undefined,
    record: () => Buffer.from('near miss'),
    replay: () => (_record: Buffer) => undefined,
  },
  'text/': { texts: () => ['near', 'a near miss', 'a near miss'], tokenizer },
};

/** The nearest of the places at which something is given to a file's examples. */
export function placeOf(file: string): keyof typeof given | undefined {
  const places = Object.keys(given) as (keyof typeof given)[];
  return places.filter((place) => file.startsWith(place)).sort((a, b) => b.length - a.length)[0];
}
