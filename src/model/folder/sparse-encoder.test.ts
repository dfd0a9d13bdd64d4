import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { trainTokenizer } from '../../text/train-tokenizer.js';
import { rowsOf } from '../encoder/encoded-texts.js';
import { Encoder } from '../encoder/encoder.js';
import { createEncoderModel, type EncoderModel, loadEncoderModel } from '../encoder/encoder-model.js';
import { saveEncoderModel } from '../encoder/save-encoder.js';
import { SafetensorsFile, writeSafetensors } from '../tensors/safetensors.js';

let folder: string;
let model: EncoderModel;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-splade-'));
  const tokenizer = await trainTokenizer(['near miss a near miss', 'what causes anemia'], {
    vocabularySize: 120,
    quiet: true,
  });
  const sizes = { hiddenSize: 16, layers: 1, heads: 2, maxLength: 32, seed: 3 };
  model = createEncoderModel({ tokenizer, ...sizes, head: { pooling: 'vocabulary' } });
  await saveEncoderModel(join(folder, 'model'), model);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const encoded = async (of: EncoderModel) => {
  const encoder = await Encoder.create(of);
  return encoder.encode(['near miss', 'anemia', '']).finally(() => encoder.release());
};

test('is the folder of a SparseEncoder, and is read again bit for bit', async () => {
  const json = async (file: string) => JSON.parse(await readFile(join(folder, 'model', file), 'utf8'));
  expect((await json('modules.json')).map(({ type, path }: Record<string, string>) => [path, type])).toEqual([
    ['', 'sentence_transformers.sparse_encoder.models.MLMTransformer'],
    ['1_SpladePooling', 'sentence_transformers.sparse_encoder.models.SpladePooling'],
  ]);
  expect(await json('1_SpladePooling/config.json')).toMatchObject({ pooling_strategy: 'max' });
  expect((await json('config.json')).architectures).toEqual(['BertForMaskedLM']);
  const weights = await SafetensorsFile.open(join(folder, 'model', 'model.safetensors'));
  expect([...weights.tensors.keys()]).toEqual(
    expect.arrayContaining(['bert.embeddings.word_embeddings.weight', 'cls.predictions.bias']),
  );
  await weights.close();
  const loaded = await loadEncoderModel(join(folder, 'model'));
  expect(loaded.spec).toEqual(model.spec);
  expect(Buffer.from(loaded.parameters.buffer.buffer)).toEqual(Buffer.from(model.parameters.buffer.buffer));
  expect(await encoded(loaded)).toEqual(await encoded(model));
});

test('rows are words of the vocabulary and weights above 0, each word once; a text without any has an empty row', async () => {
  const texts = await encoded(model);
  const vocabulary = model.spec.config.vocabularySize;
  for (let text = 0; text < 3; text++) {
    const rows = rowsOf(texts, text);
    const terms = Array.from({ length: rows.length / 2 }, (_, row) => rows[2 * row]);
    expect(new Set(terms).size).toBe(terms.length);
    expect(terms.every((term) => Number.isInteger(term) && term < vocabulary)).toBe(true);
    expect(rows.filter((_, i) => i % 2 === 1).every((weight) => weight > 0 || rows.length === 2)).toBe(true);
  }
});

test('SPLADE-doc is a router: queries are their tokens, documents as ever, and it is read again bit for bit', async () => {
  const { tokenizer } = model;
  const sizes = { hiddenSize: 16, layers: 1, heads: 2, maxLength: 32, seed: 3 };
  const own = createEncoderModel({ tokenizer, ...sizes, head: { pooling: 'document-vocabulary' } });
  const path = join(folder, 'document');
  await saveEncoderModel(path, own);
  const router = JSON.parse(await readFile(join(path, 'router_config.json'), 'utf8'));
  expect(router.structure).toEqual({
    query: ['query_0_SparseStaticEmbedding'],
    document: ['.', '1_SpladePooling'],
  });
  const loaded = await loadEncoderModel(path);
  expect(loaded.spec).toEqual(own.spec);
  expect(Buffer.from(loaded.parameters.buffer.buffer)).toEqual(Buffer.from(own.parameters.buffer.buffer));
  const encoder = await Encoder.create(loaded);
  const queries = await encoder.encode(['near miss near', '', 'anemia'], { use: 'query' });
  const { ids } = await tokenizer.encodeBatch(['near miss']);
  const terms = (text: number) => {
    const rows = rowsOf(queries, text);
    return Array.from({ length: rows.length / 2 }, (_, row) => [rows[2 * row], rows[2 * row + 1]]);
  };
  const expected = [...ids].slice(1, -1).sort((a, b) => a - b);
  expect(terms(0)).toEqual(expected.map((id) => [id, 1]));
  expect(terms(1)).toHaveLength(1);
  // Documents are those of SPLADE with the same weights.
  const documents = await encoder.encode(['near miss', 'anemia', ''], { use: 'document' });
  await encoder.release();
  expect(documents).toEqual(await encoded(model));

  const place = join(path, 'query_0_SparseStaticEmbedding', 'model.safetensors');
  const size = loaded.spec.config.vocabularySize;
  await writeSafetensors(place, [{ name: 'weight', shape: [size], data: new Float32Array(size).fill(2) }]);
  await expect(loadEncoderModel(path)).rejects.toThrow('tensor "weight": expected 1 for every token, got 2');
  router.structure.query = ['1_SpladePooling'];
  await writeFile(join(path, 'router_config.json'), JSON.stringify(router));
  await expect(loadEncoderModel(path)).rejects.toThrow(
    'field "structure.query": expected SparseStaticEmbedding, got SpladePooling',
  );
});

test('folders of sentence-transformers 5.4 and later are read, too', async () => {
  const pooling = 'sentence_transformers.sparse_encoder.modules.splade_pooling.SpladePooling';
  const transformer = 'sentence_transformers.base.modules.transformer.Transformer';
  const path = join(folder, 'newer');
  const json = (file: string, value: unknown) => writeFile(join(path, file), JSON.stringify(value));
  await saveEncoderModel(path, model);
  await json('modules.json', [
    { idx: 0, name: '0', path: '', type: transformer },
    { idx: 1, name: '1', path: '1_SpladePooling', type: pooling },
  ]);
  await json('sentence_bert_config.json', { transformer_task: 'fill-mask', max_seq_length: 32 });
  await json('1_SpladePooling/config.json', {
    pooling_strategy: 'max',
    activation_function: 'relu',
    embedding_dimension: 120,
  });
  expect(await encoded(await loadEncoderModel(path))).toEqual(await encoded(model));

  const { spec } = createEncoderModel({
    ...{ tokenizer: model.tokenizer, hiddenSize: 16, layers: 1, heads: 2, maxLength: 32, seed: 3 },
    head: { pooling: 'document-vocabulary' },
  });
  const routed = join(folder, 'routed');
  await saveEncoderModel(routed, { ...model, spec });
  const file = join(routed, 'router_config.json');
  const router = JSON.parse(await readFile(file, 'utf8'));
  Object.assign(router.types, { '.': transformer, '1_SpladePooling': pooling });
  await writeFile(file, JSON.stringify(router));
  expect((await loadEncoderModel(routed)).spec.head).toEqual(spec.head);
});

test('a folder without the head that guesses words is refused', async () => {
  const path = join(folder, 'headless');
  await saveEncoderModel(path, model);
  const weights = join(path, 'model.safetensors');
  const stored = await SafetensorsFile.open(weights);
  const names = [...stored.tensors.keys()].filter((name) => !name.startsWith('cls.'));
  const tensors = await Promise.all(
    names.map(async (name) => ({ name, shape: stored.shape(name), data: await stored.read(name) })),
  );
  await stored.close();
  await writeSafetensors(weights, tensors);
  await expect(loadEncoderModel(path)).rejects.toThrow(/tensor "cls\..*" is missing, expected the head/);
});

test('what pools otherwise is refused by the field', async () => {
  const path = join(folder, 'model', '1_SpladePooling', 'config.json');
  await writeFile(path, '{"pooling_strategy": "sum"}');
  await expect(loadEncoderModel(join(folder, 'model'))).rejects.toThrow(
    'field "pooling_strategy": expected max, got sum',
  );
});
