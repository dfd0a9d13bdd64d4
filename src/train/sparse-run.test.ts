import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWeigher } from '../cli/commands/bm25/open-weigher.js';
import { type Dataset, openDataset } from '../data/index.js';
import { buildBm25Index, openBm25Index } from '../index/bm25/index.js';
import { buildTermIndex } from '../index/terms/build-term-index.js';
import { openDocumentIndex } from '../index/vectors/index.js';
import { readEvaluation } from '../run/choose-best.js';
import type { RunDirectory } from '../run/run-directory.js';
import { bestSoFar } from '../run/step-evaluation.js';
import { openSearcher } from '../search/index.js';
import { writeKeyWords } from './key-words.fixture.js';
import { bothRoles, startRun } from './run.fixture.js';

const SMALL = [
  'model={init: scratch, layers: 1, hiddenSize: 32, heads: 2, vocabularySize: 400, dropout: 0, maxLength: {query: 32, document: 64}}',
  'optimizer={learningRate: 5e-3, warmupSteps: 5}',
  'evaluation={measures: [RR@10], best: RR@10, depth: 20}',
  'refresh.mode=lockstep',
];

let folder: string;
let dataset: Dataset;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-sparse-run-'));
  await writeKeyWords(join(folder, 'data'));
  dataset = await openDataset(join(folder, 'data'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** RR@10 of the run's best checkpoint and of what it started from. */
async function measured(run: RunDirectory): Promise<{ start: number; best: number }> {
  const start = await readEvaluation(run, 0);
  return { start: start!.measures['RR@10'], best: (await bestSoFar(run))!.measures['RR@10'] };
}

describe('uniCOIL', () => {
  let run: RunDirectory;
  beforeAll(async () => {
    run = await startRun(folder, 'unicoil', {
      recipe: 'unicoil',
      set: [...SMALL, 'stages.train.steps=60', 'checkpoint.every=30'],
    });
    await bothRoles(run);
  });

  test('learns which words count, from negatives of its own index', async () => {
    const { start, best } = await measured(run);
    expect(best).toBeGreaterThan(start + 0.1);
    expect(best).toBeGreaterThan(0.8);
  });

  test('is searched as any other run, alone and together with BM25', async () => {
    const searcher = await openSearcher(run.path);
    expect(searcher.modes).toEqual(expect.arrayContaining(['bm25', 'dense', 'hybrid']));
    const [text] = (await searcher.search('ba', { k: 1, mode: 'bm25' })).map((hit) => hit.text);
    expect(text).toBeUndefined();
    const document = await searcher.documents.get('d7');
    const [hit] = await searcher.search(document!.text, { k: 1, mode: 'dense' });
    expect(hit.id).toBe('d7');
    expect(hit.score).toBeGreaterThan(0);
    await searcher.close();
  });
});

describe('SPLADE-doc', () => {
  test('learns what documents weigh; a query is its tokens, and the run is searched and served', async () => {
    const run = await startRun(folder, 'splade-doc', {
      recipe: 'splade-doc',
      set: [
        ...SMALL,
        'model.head.pooling=document-vocabulary',
        'stages.train.steps=60',
        'checkpoint.every=30',
      ],
    });
    await bothRoles(run);
    const { start, best } = await measured(run);
    expect(best).toBeGreaterThan(start + 0.05);
    const searcher = await openSearcher(run.path);
    const document = await searcher.documents.get('d7');
    const [hit] = await searcher.search(document!.text, { k: 1, mode: 'dense' });
    expect(hit.score).toBeGreaterThan(0);
    await searcher.close();
  });
});

describe('DeepCT', () => {
  const train = async (name: string, set: string[]): Promise<RunDirectory> => {
    const run = await startRun(folder, name, {
      recipe: 'deepct',
      set: [...SMALL, 'stages.train.steps=60', 'checkpoint.every=30', ...set],
    });
    await bothRoles(run);
    return run;
  };

  test('learns which words count; a run is searched by them, as by BM25, and without a model', async () => {
    const run = await train('deepct', []);
    const { start, best } = await measured(run);
    expect(best).toBeGreaterThan(start + 0.1);
    expect(best).toBeGreaterThan(0.8);
    const index = await openBm25Index(run.stepPath('index', 60));
    expect(index.meta).toMatchObject({
      weighed: { scale: 100 },
      language: 'en',
      parameters: { k1: expect.any(Number), b: expect.any(Number) },
    });
    // Fewer words are kept than the documents have.
    const counted = await buildBm25Index(join(folder, 'plain'), dataset.documents());
    expect(index.meta.postings).toBeLessThan(0.9 * counted.postings);
    // What the command line indexes with the run is the same.
    const { weigher, frequencies, split } = await openWeigher(run.path, { language: 'en' });
    const rebuilt = await buildTermIndex(join(folder, 'rebuilt'), dataset.documents(), weigher, {
      frequencies,
      split,
    });
    await weigher.release();
    const chosen = (await bestSoFar(run))!.step;
    const { files, content } = (await openBm25Index(run.stepPath('index', chosen))).meta;
    expect(rebuilt.files).toEqual(files);
    expect(rebuilt.content).toBe(content);
    const searcher = await openSearcher(run.path);
    expect(searcher.modes).toEqual(['bm25']);
    const { text } = (await searcher.documents.get('d7'))!;
    const [hit] = await searcher.search(text, { k: 1, explain: true });
    expect(hit.id).toBe('d7');
    expect(hit.parts![0].terms!.length).toBeLessThan(7);
    await searcher.close();
  });

  test('words of queries are weighed, too', async () => {
    const run = await train('deepct-queries', ['stages.train.task={name: term-weights, side: queries}']);
    const { start, best } = await measured(run);
    expect(best).toBeGreaterThan(start + 0.1);
  });

  test('long documents are weighed passage by passage (HDCT)', async () => {
    const run = await train('hdct', ['model.maxLength.document=16', 'model.passages={mode: max, pieces: 4}']);
    expect((await measured(run)).best).toBeGreaterThan(0.8);
  });
});

describe('SPLADE', () => {
  test('learns which words count and keeps texts sparse', async () => {
    const run = await startRun(folder, 'splade', {
      recipe: 'splade',
      set: [
        ...SMALL,
        'stages.train.steps=80',
        'checkpoint.every=40',
        'loss=[{name: infonce, temperature: 1}, {name: flops, temperature: 1, weight: 0.1, documents: 20, queries: 10}]',
      ],
    });
    await bothRoles(run);
    const { best } = await measured(run);
    expect(best).toBeGreaterThan(0.8);
    const documents = await openDocumentIndex(run.stepPath('index', 80));
    const { postings } = documents.vectors.metadata.parameters;
    await documents.close();
    expect(postings / 180).toBeLessThan(40);
    const searcher = await openSearcher(run.path);
    const { text } = (await searcher.documents.get('d7'))!;
    const [hit] = await searcher.search(text, { k: 1, mode: 'dense' });
    expect(hit.id).toBe('d7');
    await searcher.close();
  });
});
