import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDocumentIndex } from '../src/index/vectors/index.js';
import { oneRowEach } from '../src/model/encoder/encoded-texts.js';
import { polyScore } from '../src/model/scorer/poly.js';
import { VectorFileWriter } from '../src/model/tensors/vector-file.js';
import { type CliResult, runBuiltCli } from './console-blocks.fixture.js';

let folder: string;
const run = (...args: string[]): Promise<CliResult> => runBuiltCli(['index', ...args], { cwd: folder });

async function writeVectors(name: string, rows: number[][], ids?: string[]): Promise<void> {
  const writer = await VectorFileWriter.create(join(folder, name), {
    dimension: rows[0].length,
    ids: ids !== undefined,
  });
  await writer.write({ vectors: Float32Array.from(rows.flat()), offsets: oneRowEach(rows.length) }, ids);
  await writer.commit();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-index-cli-'));
  const rows = [
    [1, 0],
    [0, 1],
    [0.5, 0.5],
  ];
  await writeVectors('v.npy', rows, ['d1', 'd2', 'd3']);
  await writeVectors('pieces.npy', rows, ['d1', 'd2', 'd2']);
  await writeVectors('bare.f16', rows);
  await writeVectors('broken.npy', [
    [1, 2],
    [3, Number.NaN],
  ]);
  await writeVectors('mixed.npy', rows, ['d1', 'd2', 'd1']);
});
afterAll(() => rm(folder, { recursive: true }));

test.each(['flat', 'hnsw'])('%s: vectors and ids become a folder that can be searched', async (type) => {
  const { code, stdout, stderr } = await run('v.npy', `out-${type}`, '--type', type, '--model', 'm');
  expect(stdout).toBe(`out-${type}: 3 vectors, dimension 2, ${type} f32\n`);
  expect(stderr).toContain(`index 3 vectors of 2 as ${type} f32: about 0.0 MB`);
  expect(code).toBe(0);
  const index = await openDocumentIndex(join(folder, `out-${type}`));
  expect(index.vectors.metadata.model).toBe('m');
  const { ids } = await index.search(Float32Array.of(0, 1), { k: 3 });
  expect([...ids].map((id) => index.ids!.idAt(id))).toEqual(['d2', 'd3', 'd1']);
  await index.close();
});

test('--scorer poly: the vectors of a Poly-encoder are found by all rows of a query', async () => {
  const { code } = await run('v.npy', 'poly', '--scorer', 'poly');
  expect(code).toBe(0);
  const index = await openDocumentIndex(join(folder, 'poly'));
  const rows = Float32Array.of(3, 0, 0, 2);
  const { ids, scores } = await index.search(rows, { k: 3, queryOffsets: Uint32Array.of(0, 2) });
  const documents = [Float32Array.of(1, 0), Float32Array.of(0, 1), Float32Array.of(0.5, 0.5)];
  const truth = documents.map((document) => polyScore(rows, document, 2));
  expect([...ids]).toEqual([0, 1, 2].sort((a, b) => truth[b] - truth[a]));
  for (const [rank, score] of scores.entries()) expect(score).toBeCloseTo(truth[ids[rank]], 5);
  await index.close();
  const several = await run('pieces.npy', 'none', '--scorer', 'poly');
  expect(several.code).toBe(1);
  expect(several.stderr).toContain(
    'expected one vector a document, as a Poly-encoder makes, got 3 of 2 documents',
  );
  const graph = await run('v.npy', 'none', '--scorer', 'poly', '--type', 'hnsw');
  expect([graph.code, graph.stderr]).toEqual([
    2,
    expect.stringContaining('--scorer is for comparing every vector'),
  ]);
  const cut = await run('v.npy', 'none', '--scorer', 'poly', '--dimensions', '1');
  expect([cut.code, cut.stderr]).toEqual([
    2,
    expect.stringContaining('--dimensions: vectors that poly compares'),
  ]);
});

test('rows with the same id are one document', async () => {
  const { stdout } = await run('pieces.npy', 'pieces', '--json', '--quiet');
  expect(JSON.parse(stdout)).toMatchObject({
    index: 'pieces',
    count: 3,
    documents: 2,
    type: 'flat',
    dimension: 2,
  });
  const index = await openDocumentIndex(join(folder, 'pieces'));
  const { ids } = await index.search(Float32Array.of(0, 1), { k: 2 });
  expect([...ids].map((id) => index.ids!.idAt(id))).toEqual(['d2', 'd1']);
  await index.close();
});

test('bare rows need a dimension, and no ids', async () => {
  const without = await run('bare.f16', 'bare');
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('the dimension of bare rows')]);
  const { code, stderr } = await run('bare.f16', 'bare', '--dimension', '2', '--storage', 'f16');
  expect(stderr).toContain('bare.ids.txt is not there: documents are numbered from 0');
  expect(code).toBe(0);
});

test('an index that is there stays, unless it is to be replaced', async () => {
  await run('v.npy', 'kept');
  for (const type of ['flat', 'hnsw']) {
    const { code, stderr } = await run('v.npy', 'kept', '--type', type);
    expect([code, stderr]).toEqual([1, expect.stringContaining('kept: already exists')]);
  }
  for (const type of ['flat', 'hnsw', 'flat']) {
    expect((await run('v.npy', 'kept', '--type', type, '--overwrite')).code).toBe(0);
  }
  await writeFile(join(folder, 'kept', 'notes.txt'), 'mine');
  const { code, stderr } = await run('v.npy', 'kept', '--overwrite');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('a vector index and nothing else, got notes.txt'),
  ]);
});

test('bad vectors and ids are named, and nothing is left behind', async () => {
  const nan = await run('broken.npy', 'never');
  expect(nan.stderr).toContain('broken.npy: row 1, component 1: expected a finite number, got NaN');
  const mixed = await run('mixed.npy', 'never');
  expect(mixed.stderr).toContain('mixed.ids.txt:3: the id "d1" came before');
  await writeFile(join(folder, 'cut.npy'), 'no numpy');
  const cut = await run('cut.npy', 'never');
  expect([nan.code, mixed.code, cut.code]).toEqual([1, 1, 1]);
  for (const { stderr } of [nan, mixed, cut]) expect(stderr).not.toMatch(/^\s+at /m);
  expect((await readdir(folder)).filter((name) => name.includes('never'))).toEqual([]);
});

test('flags that do not fit together are wrong usage', async () => {
  for (const args of [
    ['--storage', 'i8'],
    ['--connectivity', '8'],
    ['--type', 'tree'],
    ['--ef-construction', '0'],
  ]) {
    expect((await run('v.npy', 'never', ...args)).code).toBe(2);
  }
});

test('help shows how', async () => {
  const { stdout } = await runBuiltCli(['index', '--help']);
  expect(stdout).toContain('nearmiss index scifact.npy indexes/scifact');
});
