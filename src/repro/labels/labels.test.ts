import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TINY, writeGuides } from '../../adapt/adapt.fixture.js';
import { type Dataset, openDataset, type Qrels, writeBeir } from '../../data/index.js';
import { oneThread } from '../one-thread.fixture.js';
import { labelSplit, writeLabelSplits } from './label-splits.js';
import { type LabelsOptions, reproduceLabels } from './labels.js';
import { labelsPlot, labelsText } from './report.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-labels-'));
  await writeGuides(join(folder, 'guides'), 90);
  await writeBeir(await asked(join(folder, 'guides')), join(folder, 'data'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Guides with a question about each section. */
async function asked(path: string): Promise<Dataset> {
  const base = await openDataset(path);
  const queries: { id: string; text: string }[] = [];
  const splits: Record<string, Qrels> = { train: new Map(), test: new Map() };
  for await (const { id, text } of base.documents()) {
    const query = { id: `q${queries.length}`, text: text.slice(0, 60) };
    splits[queries.length % 3 === 0 ? 'test' : 'train'].set(query.id, new Map([[id, 1]]));
    queries.push(query);
  }
  return {
    name: 'guides',
    documents: () => base.documents(),
    async *queries(split) {
      for (const query of queries) if (split === undefined || splits[split].has(query.id)) yield query;
    },
    splits: async () => Object.keys(splits),
    qrels: async (split) => splits[split],
  };
}

const MODEL =
  'model={init: scratch, layers: 1, hiddenSize: 32, heads: 2, vocabularySize: 600, maxLength: {query: 16, document: 48}, dropout: 0}';

function options(more: Partial<LabelsOptions> = {}): LabelsOptions {
  return {
    data: join(folder, 'data'),
    split: 'train',
    testSplit: 'test',
    out: join(folder, 'out'),
    counts: [20, 60],
    recipe: 'base',
    // Few labels end a training before its steps do.
    set: [
      MODEL,
      'optimizer.learningRate=3e-3',
      'batch.queries=8',
      'evaluation.when=end',
      'stages.train.epochs=3',
    ],
    adaptSet: TINY,
    stepFactor: 0.05,
    ...oneThread(),
    ...more,
  };
}

test('start and adapted model are trained with more and more labels, measured, and kept', async () => {
  const curve = await reproduceLabels(options());
  expect(curve.rows.map(({ from, labels }) => [from, labels])).toEqual([
    ['start', 0],
    ['start', 20],
    ['start', 60],
    ['adapted', 0],
    ['adapted', 20],
    ['adapted', 60],
  ]);
  const [start, , trained, adapted] = curve.rows;
  expect(start.pAgainstStart).toBeUndefined();
  expect(trained.measures['nDCG@10']).toBeGreaterThan(start.measures['nDCG@10']);
  // Adapted is the model that learned, not the one it started from.
  expect(adapted.measures).not.toEqual(start.measures);
  expect(adapted.pAgainstSame).toBe(adapted.pAgainstStart);
  expect(labelsText(curve, 'text')).toMatch(/^labels .*\n +0 /);
  const svg = labelsPlot(curve);
  expect(svg).toContain('no labels');
  expect(svg).not.toMatch(/NaN|Infinity/);

  const untouched = { ...options().supervise, onEvent: () => expect.fail('something was trained again') };
  expect(await reproduceLabels(options({ supervise: untouched }))).toEqual(curve);
});

test('smaller sets are within larger ones, dev is of none, and what is not there is left out', async () => {
  const made = await writeLabelSplits(join(folder, 'data'), {
    out: join(folder, 'splits'),
    split: 'train',
    counts: [5, 50, 5000],
    seed: 1,
  });
  expect(made.counts).toEqual([5, 50]);
  const dataset = await openDataset(made.data);
  const ids = async (split: string) => [...(await dataset.qrels(split)).keys()];
  const [few, many, dev] = [await ids(labelSplit(5)), await ids(labelSplit(50)), await ids('dev')];
  expect([few.length, many.length]).toEqual([5, 50]);
  expect(few.every((id) => many.includes(id))).toBe(true);
  expect(dev.length).toBeGreaterThan(10);
  expect(dev.filter((id) => many.includes(id))).toEqual([]);
  await expect(
    writeLabelSplits(join(folder, 'data'), { out: folder, split: 'train', counts: [5000], seed: 1 }),
  ).rejects.toThrow(/split train has \d+ queries to learn from, and 5000 or more were asked for/);
});
