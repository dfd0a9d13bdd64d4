import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyzerFor } from '../text/analyzers/index.js';
import { sampleDataset } from './derive/sample.js';
import { splitDataset } from './derive/split.js';
import { openDataset } from './open.js';
import { throwProblem } from './problem.js';
import { trecTopics } from './readers/trec-topics.js';
import { datasetStats } from './stats.js';
import { validateDataset } from './validate.js';
import { writeBeir } from './writers/beir.js';

// Names that every JavaScript object has already must be names like any other.

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-names-'));
  const lines = (record: (name: string) => string): string =>
    NAMES.map((name) => `${record(name)}\n`).join('');
  await writeFile(
    join(folder, 'documents.jsonl'),
    lines((name) => `{"_id":"${name}","text":"about ${name}","metadata":{"${name}":1}}`),
  );
  await writeFile(join(folder, 'table.csv'), '__proto__,constructor\none,two\n');
  await writeFile(
    join(folder, 'queries.jsonl'),
    lines((name) => `{"_id":"${name}","text":"what is ${name}","${name}":{"deep":2}}`),
  );
  await writeFile(
    join(folder, 'qrels.tsv'),
    lines((name) => `${name}\t${name}\t1`),
  );
  await writeFile(
    join(folder, 'examples.jsonl'),
    lines((name) => `{"query_id":"${name}","positive_document_ids":["${name}"]}`),
  );
});
afterAll(() => rm(folder, { recursive: true }));

test('ids, metadata and splits of such names go through unchanged', async () => {
  const at = (name: string): string => join(folder, name);
  const bySplit = (file: string): Record<string, string> =>
    Object.fromEntries(NAMES.map((name) => [name, at(file)]));
  const source = await openDataset(at('documents.jsonl'), {
    queries: at('queries.jsonl'),
    qrels: bySplit('qrels.tsv'),
    examples: bySplit('examples.jsonl'),
  });
  const each = Object.fromEntries(NAMES.map((name) => [name, NAMES.length]));
  const counts = await writeBeir(source, at('beir'));
  expect(JSON.stringify(counts)).toBe(
    JSON.stringify({ documents: 4, queries: 4, dangling: 0, judgments: each, examples: each }),
  );
  expect((await validateDataset(at('beir'))).errors).toBe(0);
  const dataset = await openDataset(at('beir'));
  const metadata: string[] = [];
  for await (const document of dataset.documents()) metadata.push(JSON.stringify(document.metadata));
  for await (const query of dataset.queries()) metadata.push(JSON.stringify(query.metadata));
  expect(metadata).toEqual([
    ...NAMES.map((name) => `{"${name}":1}`),
    ...NAMES.map((name) => `{"${name}":{"deep":2}}`),
  ]);
  expect((await datasetStats(dataset)).splits.map(({ split }) => split).sort()).toEqual([...NAMES].sort());
  const sample = await sampleDataset(dataset, { documents: 4, queries: 4, seed: 1 });
  expect((await writeBeir(sample, at('sample'))).documents).toBe(4);
  const ratios = Object.fromEntries([
    ['__proto__', 0.5],
    ['constructor', 0.5],
  ]);
  const { splits } = await splitDataset(dataset, { by: 'query', ratios, seed: 1 });
  expect([...splits.keys()].sort()).toEqual(['__proto__', 'constructor']);
  await expect(splitDataset(sample, { by: 'group', groupField: 'valueOf', ratios, seed: 1 })).rejects.toThrow(
    'has the metadata field "valueOf"',
  );
  expect(({} as { deep?: number }).deep).toBeUndefined();
});

test('columns, tags and languages of such names are no more than their names', async () => {
  const fields = { id: '__proto__', text: ['constructor'] };
  const table = await openDataset(join(folder, 'table.csv'), { fields });
  expect((await table.documents().next()).value).toEqual({ id: 'one', text: 'two' });
  const topics = join(folder, 'topics.txt');
  await writeFile(topics, '<top><num>7</num><title>a</title><constructor>b</constructor></top>\n');
  for await (const { value } of trecTopics(topics).read(throwProblem))
    expect(value).toEqual({ id: '7', text: 'a' });
  for (const name of NAMES) expect(() => analyzerFor(name)).toThrow('language: expected one of');
});
