import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEncoderModel, type EncoderModel } from '../model/encoder/encoder-model.js';
import { saveEncoderModel } from '../model/encoder/save-encoder.js';
import { TOWER_FOLDERS } from '../model/folder/tower-folders.js';
import { weightsFingerprint } from '../model/folder/weights-fingerprint.js';
import { trainTokenizer } from '../text/train-tokenizer.js';
import { LocalEmbedder } from './embedder.js';
import { vectorsFolder } from './open/vectors-folder.js';

let folder: string;
let model: (seed: number, changes?: { pooling?: string; normalize?: boolean }) => EncoderModel;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-fingerprint-'));
  const texts = async function* (): AsyncGenerator<string> {
    yield* ['a near miss', 'the retriever ranks what is close but wrong'];
  };
  const tokenizer = await trainTokenizer(texts(), { vocabularySize: 60 });
  model = (seed, { pooling = 'mean', normalize = true } = {}) =>
    createEncoderModel({
      ...{ tokenizer, hiddenSize: 8, layers: 1, heads: 1, maxLength: 16, seed },
      head: { pooling, normalize },
    });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Where the vectors of a model in a folder are kept. */
async function keptBy(path: string): Promise<string> {
  const embedder = await LocalEmbedder.open(path, { threads: 1 });
  await embedder.close();
  return vectorsFolder('cache', embedder.info, 'content').folder;
}

async function kept(name: string, saved: EncoderModel): Promise<string> {
  await saveEncoderModel(join(folder, name), saved);
  return keptBy(join(folder, name));
}

async function keptOfTowers(name: string, towers: Record<'queries' | 'documents', EncoderModel>) {
  for (const side of ['queries', 'documents'] as const) {
    await saveEncoderModel(join(folder, name, TOWER_FOLDERS[side]), towers[side]);
  }
  return keptBy(join(folder, name));
}

test('a model as most are keeps its vectors where earlier releases did', async () => {
  const weights = weightsFingerprint(model(1).parameters).slice(0, 12);
  expect(await kept('usual', model(1))).toBe(join('cache', `vectors-${weights}-16-content`));
});

test('models that make different vectors never share them', async () => {
  const folders = [
    await kept('mean', model(1)),
    await kept('first', model(1, { pooling: 'first' })),
    await kept('long', model(1, { normalize: false })),
    await kept('prompted', { ...model(1), prompts: { query: 'find: ' } }),
    await kept('first tokens', model(1, { pooling: 'first-tokens' })),
    await kept('other first tokens', model(2, { pooling: 'first-tokens' })),
    await keptOfTowers('two', { queries: model(1), documents: model(2) }),
    await keptOfTowers('others', { queries: model(1), documents: model(3) }),
  ];
  expect(new Set(folders).size).toBe(folders.length);
});

test('two towers that are the same are one', async () => {
  const towers = await keptOfTowers('same', { queries: model(4), documents: model(4) });
  expect(towers).toBe(await kept('one', model(4)));
});
