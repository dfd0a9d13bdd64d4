import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { GENERATED_FILE, readGenerated } from '../generate/index.js';
import { CandidateTable } from '../negatives/index.js';
import { locateMade } from '../run/made.js';
import { openRun } from '../run/open-run.js';
import { readRunDescription } from '../run/run-description.js';
import type { RunDirectory } from '../run/run-directory.js';
import { bestSoFar } from '../run/step-evaluation.js';
import { openSearcher } from '../search/index.js';
import { measureOnDev } from '../systems/index.js';
import { readLabelFolder } from '../teacher/index.js';
import { takeRole } from './process/processes.js';
import { bothRoles, eventsOf, startRun, weightsOf } from './run.fixture.js';
import { writeSynonyms } from './synonyms.fixture.js';

const SMALL = 'init: scratch, layers: 1, hiddenSize: 16, heads: 2, vocabularySize: 300';
const GENERATOR = [
  `model={${SMALL}, decoder: {layers: 1, copy: true}, maxLength: {query: 8, document: 24}}`,
  'stages.generate.steps=60',
  'stages.generate.freeze=[]',
  'optimizer.learningRate=1e-2',
  'optimizer.warmupSteps=5',
  'evaluation.queries=4',
];
const RERANKER = [`model={kind: cross, ${SMALL}, dropout: 0, maxLength: {query: 16, document: 16}}`];

/** The whole plan of a recipe with models that are small enough. */
const recipeOf = (base: string, { generator, reranker }: { generator: string; reranker: string }): string => `
extends: ${base}
model: { ${SMALL}, maxLength: { query: 8, document: 16 } }
checkpoint: { every: 2 }
evaluation: { measures: [RR@10], best: RR@10 }
batch: { queries: 4 }
stages:
  - name: generate
    make: { name: generate, generator: ${generator}, count: 2, limit: 50 }
  - name: filter
    make: { name: filter, queries: 'stage:generate', depth: 30 }
  - name: mine
    make: { name: mine, depth: 8 }
  - name: words
    make: { name: mine, retriever: bm25, depth: 8 }
  - name: label
    make: { name: label, models: [${reranker}], candidates: ['stage:mine', 'stage:words'], depth: 8, draw: 3 }
  - name: train
    steps: 4
    negatives: ${base === 'gpl' ? "[{ source: static, file: 'stage:label', depth: 8 }]" : '[{ source: in-batch }, { source: ann, depth: 8 }]'}
`;

let folder: string;
let labelled: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-gpl-'));
  vi.stubEnv('NEARMISS_CACHE', join(folder, 'cache'));
  labelled = join(folder, 'labelled');
  await writeSynonyms(join(labelled, 'data'), { words: 8, seed: 3 });
  await mkdir(join(folder, 'data'));
  await copyFile(join(labelled, 'data', 'corpus.jsonl'), join(folder, 'data', 'corpus.jsonl'));
  const generator = await startRun(labelled, 'generator', { recipe: 'query-generator', set: GENERATOR });
  await bothRoles(generator);
  const reranker = await startRun(labelled, 'reranker', { recipe: 'reranker', set: RERANKER });
  const models = { generator: generator.path, reranker: reranker.file('start') };
  for (const base of ['gpl', 'qgen']) await writeFile(join(folder, `${base}.yaml`), recipeOf(base, models));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const start = (name: string, base: string, of = folder): Promise<RunDirectory> =>
  startRun(of, name, { recipe: join(folder, `${base}.yaml`) });

async function pairsIn(run: RunDirectory, stage: string): Promise<string[]> {
  const pairs: string[] = [];
  for await (const { id, queries } of readGenerated(join(await locateMade(run, stage), GENERATED_FILE))) {
    pairs.push(...queries.map((query) => `${id} ${query}`));
  }
  return pairs;
}

describe.each(['gpl', 'qgen'])('%s on documents alone', (base) => {
  let run: RunDirectory;
  beforeAll(async () => {
    run = await start(`${base} run`, base);
    await bothRoles(run);
  });

  test('writes, filters, mines, labels, learns and measures in one run', async () => {
    const made = (await eventsOf(run, 'trainer')).flatMap((event) =>
      event.type === 'made' ? [event.stage] : [],
    );
    expect(made).toEqual(['generate', 'filter', 'mine', 'words', 'label']);
    const [all, kept] = [await pairsIn(run, 'stage:generate'), await pairsIn(run, 'stage:filter')];
    expect(kept.length).toBeGreaterThan(4);
    expect(all).toEqual(expect.arrayContaining(kept));
    expect(kept.length).toBeLessThan(all.length);
    expect((await readRunDescription(run)).recipe.evaluation.split).toBe('generated');
    expect((await bestSoFar(run))?.measures['RR@10']).toBeGreaterThan(0);
  });

  test('what is mined and labelled belongs to generated queries, and never to what they were written for', async () => {
    const { stages, description } = await openRun(run.path, { quiet: true });
    const data = await stages.of(description.recipe.examples);
    expect(data.training.length).toBeGreaterThan(3);
    const table = await CandidateTable.load(await locateMade(run, 'stage:mine'), data.tables);
    data.training.forEach(({ positives }, query) => {
      expect([...table.row(query).ids].filter((id) => positives.includes(id))).toEqual([]);
    });
    const labels = await readLabelFolder(await locateMade(run, 'stage:label'), data.tables.dataFingerprint);
    expect(labels.rankings.size).toBe(data.training.length);
    for (const { query, positives } of data.training) {
      const { ids } = labels.rankings.get(data.queries.cache.id(query))!;
      for (const positive of positives) expect(ids).toContain(data.documents.cache.id(positive));
      expect(ids.length).toBeLessThanOrEqual(positives.length + 3);
    }
    const measured = new Set((await data.dataset.qrels('generated')).keys());
    expect(measured.size).toBeGreaterThan(0);
    for (const { query } of data.training) expect(measured).not.toContain(data.queries.cache.id(query));
    await stages.close();
  });

  test('the run is measured on what it has not learned from, and searched by words, too', async () => {
    const { rows, split, best } = await measureOnDev(run.path, { session: { threads: 1 } });
    expect(split).toBe('generated');
    expect(rows.map(({ system }) => system)).not.toContain('bm25');
    expect(best).toBe('hybrid');
    const searcher = await openSearcher(run.path, { threads: 1 });
    await searcher.close();
    expect(searcher.defaultMode).toBe('hybrid');
  });

  test('stopped in any stage it goes on and comes to the same weights', async () => {
    const again = await start(`${base} again`, base);
    for (const stage of ['generate', 'filter', 'mine', 'label']) {
      const stop = new AbortController();
      await takeRole('trainer', again.path, {
        session: { threads: 1 },
        quiet: true,
        stopSignal: stop.signal,
        onEvent(event) {
          if (event.type === 'make' && event.stage === stage) stop.abort();
        },
      });
    }
    await bothRoles(again);
    expect(await weightsOf(again, 4)).toEqual(await weightsOf(run, 4));
  });
});

test('where there are labels to measure on, these are measured on, and none is learned from', async () => {
  const run = await start('beside labels', 'gpl', labelled);
  await bothRoles(run);
  const { recipe } = await readRunDescription(run);
  expect(recipe.evaluation.split).toBe('dev');
  const { stages } = await openRun(run.path, { quiet: true });
  const data = await stages.of(recipe.examples);
  const own = new Set((await data.dataset.qrels('train')).keys());
  expect([...own].every((id) => id.startsWith('generated-'))).toBe(true);
  await stages.close();
  const searcher = await openSearcher(run.path, { threads: 1 });
  await searcher.close();
  expect(searcher.defaultMode).toBe('dense');
});

test('a recipe that learns from labels still says that there are none', async () => {
  await expect(startRun(folder, 'labels', { recipe: 'tiny' })).rejects.toThrow(
    'training needs queries and judgments, got documents alone',
  );
});
