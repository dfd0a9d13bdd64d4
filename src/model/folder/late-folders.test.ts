import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { AutoModel, AutoTokenizer, env, Tensor } from '@huggingface/transformers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../engine/random.js';
import type { EncodedTexts } from '../encoder/encoded-texts.js';
import { Encoder } from '../encoder/encoder.js';
import { type EncoderModel, loadEncoderModel } from '../encoder/encoder-model.js';
import { saveEncoderModel } from '../encoder/save-encoder.js';
import { tokenizedTexts } from '../encoder/tokenized-texts.js';
import { representationOf } from '../representation/kinds.js';
import { SafetensorsFile, writeSafetensors } from '../tensors/safetensors.js';

const TEXTS = [
  'what is a near miss?',
  'Anemia has many causes; iron deficiency (in the diet) is the most common of them!',
  'a text that is far too long for this model '.repeat(20),
];

let root: string;
let written: string;
let model: EncoderModel;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'nearmiss-late-'));
  written = join(root, 'written');
  model = await loadEncoderModel('minilm', {
    layers: 1,
    maxLength: 40,
    head: { pooling: 'tokens', projection: 16, bias: false, normalize: true, fillQueries: 12 },
  });
  await saveEncoderModel(written, model);
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Rows of the texts as queries and as documents. */
async function rowsBy(opened: EncoderModel): Promise<EncodedTexts[]> {
  const encoder = await Encoder.create(opened, { session: { threads: 1 } });
  const rows: EncodedTexts[] = [];
  for (const side of ['queries', 'documents'] as const) {
    const use = side === 'queries' ? 'query' : 'document';
    rows.push(await encoder.encodeTokens(tokenizedTexts(await encoder.tokenize(TEXTS, use)), { side }));
  }
  await encoder.release();
  return rows;
}

const json = (folder: string, name: string) => readFile(join(folder, name), 'utf8').then(JSON.parse);

/** A copy of the folder with some files changed; those without a content are removed. */
async function changed(name: string, files: Record<string, unknown>): Promise<string> {
  const folder = join(root, name);
  await cp(written, folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    if (content === undefined) await rm(join(folder, file), { recursive: true });
    else {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), JSON.stringify(content));
    }
  }
  return folder;
}

describe('a folder that was written', () => {
  test('says in the words of PyLate and of ColBERT what the model does', async () => {
    expect(await json(written, 'modules.json')).toMatchObject([
      { path: '', type: 'sentence_transformers.models.Transformer' },
      { path: '1_Dense', type: 'pylate.models.Dense.Dense' },
    ]);
    expect(await json(written, 'config_sentence_transformers.json')).toMatchObject({
      similarity_fn_name: 'MaxSim',
      query_prefix: '[unused0]',
      document_prefix: '[unused1]',
      query_length: 12,
      document_length: 41,
      attend_to_expansion_tokens: false,
      do_query_expansion: true,
      skiplist_words: [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'],
    });
    expect(await json(written, 'artifact.metadata')).toMatchObject({
      query_token_id: '[unused0]',
      doc_token_id: '[unused1]',
      query_maxlen: 12,
      doc_maxlen: 41,
      mask_punctuation: true,
      attend_to_mask_tokens: false,
      dim: 16,
    });
    expect((await json(written, 'config.json')).architectures).toEqual(['HF_ColBERT']);
    const weights = await SafetensorsFile.open(join(written, 'model.safetensors'));
    expect(weights.shape('linear.weight')).toEqual([16, 384]);
    expect(weights.shape('bert.embeddings.word_embeddings.weight')).toEqual([30522, 384]);
    await weights.close();
    expect(await readFile(join(written, 'README.md'), 'utf8')).toContain('models.ColBERT(');
  });

  test.each([
    ['as PyLate reads it', {}],
    ['as ColBERT reads it', { 'modules.json': undefined, '1_Dense': undefined }],
  ])('gives the same rows again, %s', async (name, files) => {
    const again = await loadEncoderModel(await changed(name.replaceAll(' ', '-'), files));
    expect(again.spec).toEqual(model.spec);
    expect(again.maxLength).toBe(model.maxLength);
    expect(await rowsBy(again)).toEqual(await rowsBy(model));
  });

  test.each([
    ['a bias', { bias: true }],
    ['no markers', { queryMarker: false, documentMarker: false }],
    ['queries that are not filled up', { fillQueries: 0 }],
    ['masks that are attended to, and no list of words', { attendToMasks: true, skip: 'none' }],
    ['no projection', { projection: false }],
  ] as const)('with %s comes back as it was', async (name, head) => {
    const folder = join(root, name.replaceAll(/\W/g, '-'));
    const other = await loadEncoderModel('minilm', {
      layers: 1,
      maxLength: 40,
      head: { pooling: 'tokens', projection: 16, bias: false, normalize: true, fillQueries: 12, ...head },
    });
    await saveEncoderModel(folder, other, { onnx: false });
    const again = await loadEncoderModel(folder);
    expect(await rowsBy(again)).toEqual(await rowsBy(other));
    expect(again.spec.head.pooling).toBe('tokens');
  });

  test('is run by Transformers.js with the same rows', async () => {
    env.allowRemoteModels = false;
    env.localModelPath = dirname(written);
    const tokenizer = await AutoTokenizer.from_pretrained(basename(written));
    const runner = await AutoModel.from_pretrained(basename(written), { dtype: 'fp32' });
    const { query_prefix, document_prefix, query_length, document_length, skiplist_words } = await json(
      written,
      'config_sentence_transformers.json',
    );
    const { vocab } = (await json(written, 'tokenizer.json')).model;
    const idOf = (token: string): number => vocab[token];
    const skipped = skiplist_words.map(idOf);
    const [queries, documents] = await rowsBy(model);
    for (const [side, rows] of [
      ['query', queries],
      ['document', documents],
    ] as const) {
      const most = side === 'query' ? query_length : document_length;
      let row = 0;
      for (const text of TEXTS) {
        // As PyLate feeds it: cut to one less, a marker behind the first token, queries filled up.
        const words = tokenizer.encode(text, { add_special_tokens: false }).slice(0, most - 3);
        const ids = [
          idOf('[CLS]'),
          idOf(side === 'query' ? query_prefix : document_prefix),
          ...words,
          idOf('[SEP]'),
        ];
        const attended = ids.length;
        while (side === 'query' && ids.length < most) ids.push(idOf('[MASK]'));
        const input = (values: number[]): Tensor =>
          new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
        const { token_embeddings } = await runner({
          input_ids: input(ids),
          attention_mask: input(ids.map((_, i) => Number(i < attended))),
          token_type_ids: input(ids.map(() => 0)),
        });
        const found = token_embeddings.tolist()[0] as number[][];
        for (const [token, expected] of found.entries()) {
          if (side === 'document' && token > 0 && skipped.includes(ids[token])) continue;
          const own = rows.vectors.subarray(row * 16, ++row * 16);
          for (const [i, value] of expected.entries()) expect(Math.abs(own[i] - value)).toBeLessThan(1e-4);
        }
      }
      expect(row).toBe(rows.offsets.at(-1));
    }
    await runner.dispose();
  });
});

/** The tokens of a text as a side of the model reads them. */
async function read(opened: EncoderModel, side: 'queries' | 'documents', text: string): Promise<string[]> {
  const use = side === 'queries' ? 'query' : 'document';
  const prompt = opened.prompts[use] ?? '';
  const { ids } = await opened.tokenizer.encodeBatch([prompt + text], { maxLength: opened.maxLength });
  const representation = representationOf(opened.spec.head, side);
  return Array.from(representation.read?.({ ids }).ids ?? ids, (id) => opened.tokenizer.token(id) ?? '?');
}

describe("others' folders", () => {
  /** As PyLate saves: markers are added tokens, padding and lengths of its last batch lie in the tokenizer's files. */
  async function pylate(name: string, settings: object, more: Record<string, unknown> = {}): Promise<string> {
    const tokenizer = await json(written, 'tokenizer.json');
    const added = ['[Q] ', '[D] '].map((content, i) => ({
      ...{ id: 30522 + i, content, single_word: false, lstrip: false, rstrip: false },
      ...{ normalized: false, special: false },
    }));
    const folder = await changed(name, {
      'artifact.metadata': undefined,
      'config.json': {
        ...(await json(written, 'config.json')),
        vocab_size: 30524,
        architectures: ['BertModel'],
      },
      'config_sentence_transformers.json': { prompts: {}, similarity_fn_name: 'MaxSim', ...settings },
      'sentence_bert_config.json': { max_seq_length: 11, do_lower_case: false },
      'special_tokens_map.json': { pad_token: '[MASK]', mask_token: '[MASK]' },
      'tokenizer.json': {
        ...tokenizer,
        added_tokens: [...tokenizer.added_tokens, ...added],
        truncation: { direction: 'Right', max_length: 11, strategy: 'LongestFirst', stride: 0 },
        padding: {
          ...{ strategy: { Fixed: 11 }, direction: 'Right', pad_to_multiple_of: null },
          ...{ pad_id: 103, pad_type_id: 0, pad_token: '[MASK]' },
        },
      },
      ...more,
    });
    const random = Random.from(3, 'words');
    const old = await SafetensorsFile.open(join(written, 'model.safetensors'));
    const tensors = [];
    for (const stored of old.tensors.keys()) {
      const shape = old.shape(stored);
      const data = await old.read(stored, shape);
      if (stored === 'linear.weight') continue;
      if (!stored.endsWith('word_embeddings.weight')) tensors.push({ name: stored, shape, data });
      else {
        const rows = Float32Array.from({ length: 30524 * 384 }, (_, i) => data[i] ?? random.normal());
        tensors.push({ name: stored, shape: [30524, 384], data: rows });
      }
    }
    await old.close();
    await writeSafetensors(join(folder, 'model.safetensors'), tensors);
    return folder;
  }

  test("PyLate's own settings are taken, not those that its last batch left behind", async () => {
    const opened = await loadEncoderModel(
      await pylate('pylate', {
        ...{ query_prefix: '[Q] ', document_prefix: '[D] ', query_length: 9, document_length: 7 },
        ...{
          attend_to_expansion_tokens: true,
          skiplist_words: ['the', 'nowhere-a-token'],
          do_query_expansion: true,
        },
      }),
    );
    expect(await read(opened, 'queries', 'near miss')).toEqual(
      '[CLS]|[Q] |near|miss|[SEP]|[MASK]|[MASK]|[MASK]|[MASK]'.split('|'),
    );
    expect(await read(opened, 'documents', 'the near miss was a near miss')).toEqual(
      '[CLS]|[D] |the|near|miss|was|[SEP]'.split('|'),
    );
    expect(opened.spec.head.poolingOptions).toMatchObject({
      attendToMasks: true,
      skip: [opened.tokenizer.id('the')],
    });
  });

  test('what PyLate does not say is as its code has it, and queries may be the longer side', async () => {
    const plain = await loadEncoderModel(await pylate('pylate-plain', { query_length: null }));
    expect((await read(plain, 'queries', 'near')).length).toBe(32);
    expect((await read(plain, 'documents', 'near '.repeat(300))).length).toBe(180);
    expect(plain.spec.head.poolingOptions).toMatchObject({ attendToMasks: false });
    const long = await loadEncoderModel(
      await pylate('pylate-long', { query_length: 50, document_length: 20, do_query_expansion: false }),
    );
    expect((await read(long, 'queries', 'near '.repeat(300))).length).toBe(50);
    expect((await read(long, 'documents', 'near '.repeat(300))).length).toBe(20);
    expect((await read(long, 'queries', 'near')).length).toBe(4);
    const again = join(root, 'pylate-long-again');
    await saveEncoderModel(again, long, { onnx: false });
    expect((await loadEncoderModel(again)).spec).toEqual(long.spec);
  });

  test('several linear layers and residual ones are one', async () => {
    const random = Random.from(5, 'dense');
    const numbers = (length: number) => Float32Array.from({ length }, () => random.normal() / 10);
    const dense = { in_features: 384, bias: false, activation_function: 'torch.nn.modules.linear.Identity' };
    const folder = await changed('layers', {
      'modules.json': [
        { idx: 0, name: '0', path: '', type: 'sentence_transformers.models.Transformer' },
        { idx: 1, name: '1', path: '1_Dense', type: 'pylate.models.Dense.Dense' },
        { idx: 2, name: '2', path: '2_Dense', type: 'pylate.models.Dense.Dense' },
      ],
      '1_Dense/config.json': { ...dense, out_features: 6, use_residual: true },
      '2_Dense/config.json': { ...dense, in_features: 6, out_features: 6, bias: true, use_residual: true },
    });
    const [linear, residual, second, bias] = [numbers(6 * 384), numbers(6 * 384), numbers(36), numbers(6)];
    await writeSafetensors(join(folder, '1_Dense', 'model.safetensors'), [
      { name: 'linear.weight', shape: [6, 384], data: linear },
      { name: 'residual.weight', shape: [6, 384], data: residual },
    ]);
    await writeSafetensors(join(folder, '2_Dense', 'model.safetensors'), [
      { name: 'linear.weight', shape: [6, 6], data: second },
      { name: 'linear.bias', shape: [6], data: bias },
    ]);
    const { parameters } = await loadEncoderModel(folder);
    const x = numbers(384);
    const times = (matrix: Float32Array, vector: ArrayLike<number>): number[] =>
      Array.from({ length: 6 }, (_, row) =>
        Array.from(vector).reduce((sum, value, i) => sum + matrix[row * vector.length + i] * value, 0),
      );
    const middle = times(linear, x).map((value, i) => value + times(residual, x)[i]);
    const expected = times(second, middle).map((value, i) => value + bias[i] + middle[i]);
    const merged = times(parameters.get('head.linear.weight'), x);
    const constant = parameters.get('head.linear.bias');
    for (const [i, value] of expected.entries()) expect(merged[i] + constant[i]).toBeCloseTo(value, 4);
  });

  test('sentence-transformers 6: settings lie with the modules, markers are prompts', async () => {
    const modules = ['Transformer', 'Dense', 'MultiVectorMask', 'Normalize'].map((kind, idx) => ({
      ...{ idx, name: String(idx), path: idx === 0 ? '' : `${idx}_${kind}` },
      type: `sentence_transformers.base.modules.${kind.toLowerCase()}.${kind}`,
    }));
    const tokenizer = await json(written, 'tokenizer.json');
    const added = ['[unused0]', '[unused1]'].map((content, i) => ({
      ...{ id: 1 + i, content, single_word: false, lstrip: false, rstrip: false },
      ...{ normalized: false, special: false },
    }));
    const files = (expansion: object | null) => ({
      'artifact.metadata': undefined,
      'tokenizer.json': { ...tokenizer, added_tokens: [...tokenizer.added_tokens, ...added] },
      'modules.json': modules,
      'config_sentence_transformers.json': {
        model_type: 'MultiVectorEncoder',
        prompts: { query: '[unused0] ', document: '[unused1] ' },
        similarity_fn_name: 'maxsim',
      },
      'sentence_bert_config.json': { query_length: 10, document_length: 20, query_expansion: expansion },
      '2_MultiVectorMask/config.json': { skiplist_words: ['.'], skiplist_tasks: ['document'] },
    });
    const lengths = async (name: string, expansion: object | null): Promise<number[]> => {
      const opened = await loadEncoderModel(await changed(name, files(expansion)));
      expect(opened.spec.head.poolingOptions).toMatchObject({ skip: [opened.tokenizer.id('.')] });
      expect((await read(opened, 'queries', 'near')).slice(0, 3)).toEqual(['[CLS]', '[unused0]', 'near']);
      return [
        (await read(opened, 'queries', 'near')).length,
        (await read(opened, 'queries', 'near '.repeat(90))).length,
        (await read(opened, 'documents', 'near '.repeat(90))).length,
      ];
    };
    expect(await lengths('st-fixed', { strategy: 'fixed', attend: false, length: 8 })).toEqual([8, 8, 20]);
    expect(await lengths('st-min', { strategy: 'min', attend: true, length: 8 })).toEqual([8, 10, 20]);
    expect(await lengths('st-none', null)).toEqual([4, 10, 20]);
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    [
      'a marker that is no token',
      { 'config_sentence_transformers.json': { query_prefix: '[Query]' } },
      /config_sentence_transformers\.json: field "query_prefix": the tokenizer has no token "\[Query\]"/,
    ],
    [
      'another similarity',
      { 'config_sentence_transformers.json': { query_length: 32, similarity_fn_name: 'XTR' } },
      /field "similarity_fn_name": expected MaxSim, got "XTR"/,
    ],
    [
      'distances',
      { 'modules.json': undefined, 'artifact.metadata': { similarity: 'l2' } },
      /artifact\.metadata: field "similarity": expected cosine, got l2/,
    ],
    [
      'a length that is none',
      { 'modules.json': undefined, 'artifact.metadata': { query_maxlen: 'long' } },
      /artifact\.metadata: field "query_maxlen"/,
    ],
    [
      'a module that is not known',
      {
        'modules.json': ['Transformer', 'Dense', 'TokenPooling'].map((kind) => ({ type: kind, path: '' })),
      },
      /modules\.json: field "2\.type": expected Transformer, then Dense, MultiVectorMask, Normalize/,
    ],
    [
      'images',
      {
        'modules.json': ['Transformer', 'MultiVectorMask'].map((kind, i) => ({
          type: kind,
          path: i ? '2_Mask' : '',
        })),
        'config_sentence_transformers.json': {},
        '2_Mask/config.json': { keep_only_token_ids: [4] },
      },
      /2_Mask\/config\.json: field "keep_only_token_ids": expected null, got \[4\]/,
    ],
  ])('%s: the file and the field are named', async (name, files, message) => {
    await expect(loadEncoderModel(await changed(name.replaceAll(' ', '-'), files))).rejects.toThrow(message);
  });
});
