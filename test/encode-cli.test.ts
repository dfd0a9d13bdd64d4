import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createEncoderModel,
  Encoder,
  type EncoderModel,
  saveEncoderModel,
  VectorFile,
} from '../src/model/index.js';
import { trainTokenizer } from '../src/text/train-tokenizer.js';
import { type CliResult, runBuiltCli } from './console-blocks.fixture.js';

const TEXTS = [
  'a near miss',
  'close, but not relevant',
  'the index is refreshed while the model learns',
  'miss',
];
const DOCUMENTS = TEXTS.map((text, i) => ({ _id: `d${i}`, title: i === 1 ? 'Negatives' : '', text }));
const QUERIES = ['what is near?', 'who learns?'].map((text, i) => ({ _id: `q${i}`, text }));

let folder = '';
let model: EncoderModel;
const run = (...args: string[]): Promise<CliResult> => runBuiltCli(args, { cwd: folder });
const encode = (input: string, output: string, ...more: string[]): Promise<CliResult> =>
  run('encode', input, '--model', 'model', '--output', output, '--quiet', ...more);
const lines = (records: object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

async function* corpus(): AsyncGenerator<string> {
  yield* TEXTS;
}

async function expected(texts: string[], use?: string): Promise<Float32Array> {
  const encoder = await Encoder.create(model, { session: { threads: 1 } });
  const { vectors } = await encoder.encode(texts, { use });
  await encoder.release();
  return vectors;
}

async function written(output: string): Promise<{ vectors: Float32Array; ids: string[] }> {
  const file = await VectorFile.open(join(folder, output), { dimension: 16 });
  const result = { vectors: await file.read(0, file.rows), ids: await file.ids() };
  await file.close();
  return result;
}

function expectClose(actual: Float32Array, wanted: Float32Array, tolerance = 1e-5): void {
  expect(actual.length).toBe(wanted.length);
  const largest = actual.reduce((most, value, i) => Math.max(most, Math.abs(value - wanted[i])), 0);
  expect(largest).toBeLessThan(tolerance);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-encode-cli-'));
  const tokenizer = await trainTokenizer(corpus(), { vocabularySize: 120 });
  model = createEncoderModel({ tokenizer, hiddenSize: 16, layers: 2, heads: 2, maxLength: 64, seed: 5 });
  model.prompts = { query: 'query: ' };
  await saveEncoderModel(join(folder, 'model'), model);
  await mkdir(join(folder, 'set/qrels'), { recursive: true });
  const files: Record<string, string | Buffer> = {
    'set/corpus.jsonl': lines(DOCUMENTS),
    'set/queries.jsonl': lines(QUERIES),
    'set/qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq1\td2\t1\n',
    'own.jsonl': lines(TEXTS.map((prose, i) => ({ key: i, prose }))),
    'table.tsv': TEXTS.map((text, i) => `t${i}\t${text}\n`).join(''),
    'plain.txt': `${TEXTS.join('\n')}\n`,
    'plain.txt.gz': gzipSync(TEXTS.join('\n')),
    'wrong-field.jsonl': `${lines(DOCUMENTS)}{"_id":"d9","text":7}\n`,
    'broken.jsonl': `${lines(DOCUMENTS)}{"_id":"d9",\n`,
    'latin1.txt': Buffer.from('caf\xe9 au lait\n', 'latin1'),
    'empty.txt': '',
    file: '',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('what is encoded', () => {
  test('a dataset: documents with their titles, in order, and a summary', async () => {
    const { code, stdout } = await encode('set', 'documents.npy', '--json');
    expect(code).toBe(0);
    const summary = JSON.parse(stdout);
    expect(summary).toMatchObject({
      output: 'documents.npy',
      ids: 'documents.ids.txt',
      texts: 4,
      dimension: 16,
      dtype: 'f32',
    });
    expect(summary.tokens).toBeGreaterThan(4 * 3);
    expect(summary.precision).toBe('fp32');
    const rough = await encode('set', 'rough.npy', '--json', '--precision', 'int8');
    expect(JSON.parse(rough.stdout).precision).toBe('int8');
    const made = async (name: string): Promise<object> =>
      JSON.parse(await readFile(join(folder, `${name}.made.json`), 'utf8'));
    expect(await made('documents')).toMatchObject({
      precision: 'fp32',
      use: 'document',
      rows: 4,
      dimension: 16,
    });
    expect(await made('rough')).toMatchObject({ precision: 'int8', rows: 4 });
    const { vectors, ids } = await written('documents.npy');
    expect(ids).toEqual(['d0', 'd1', 'd2', 'd3']);
    expectClose(vectors, await expected([TEXTS[0], `Negatives ${TEXTS[1]}`, TEXTS[2], TEXTS[3]]));
  });

  test("a dataset's queries, those of a split, with the query prompt", async () => {
    expect((await encode('set', 'all-queries.npy', '--queries')).code).toBe(0);
    expect((await encode('set', 'queries.npy', '--queries', '--split', 'test')).code).toBe(0);
    const all = await written('all-queries.npy');
    expect(all.ids).toEqual(['q0', 'q1']);
    expectClose(
      all.vectors,
      await expected(
        QUERIES.map(({ text }) => text),
        'query',
      ),
    );
    const some = await written('queries.npy');
    expect(some.ids).toEqual(['q1']);
    expectClose(some.vectors, all.vectors.subarray(16));
    expect((await encode('set/queries.jsonl', 'file-queries.npy', '--queries')).code).toBe(0);
    expect((await written('file-queries.npy')).vectors).toEqual(all.vectors);
  });

  test.each([
    ['own.jsonl', ['--id-field', 'key', '--text-field', 'prose'], ['0', '1', '2', '3']],
    ['table.tsv', [], ['t0', 't1', 't2', 't3']],
    ['plain.txt', [], ['1', '2', '3', '4']],
    ['plain.txt.gz', ['--format', 'text'], ['1', '2', '3', '4']],
  ])('%s', async (input, flags, ids) => {
    const output = `${input}.f32`;
    expect((await encode(input, output, ...flags)).stderr).toBe('');
    const result = await written(output);
    expect(result.ids).toEqual(ids);
    expectClose(result.vectors, await expected(TEXTS));
  });

  test.each([
    ['plain lines', `${TEXTS.join('\n')}\n`, ['1', '2', '3', '4']],
    ['JSON lines', lines(TEXTS.map((text, i) => ({ id: `s${i}`, text }))), ['s0', 's1', 's2', 's3']],
  ])('standard input: %s', async (name, input, ids) => {
    const output = `${name.replace(' ', '-')}.npy`;
    const args = ['encode', '-', '--model', 'model', '--output', output];
    expect((await runBuiltCli(args, { cwd: folder, input })).code).toBe(0);
    const result = await written(output);
    expect(result.ids).toEqual(ids);
    expectClose(result.vectors, await expected(TEXTS));
  });
});

test('half precision, as .npy and as bare rows', async () => {
  expect((await encode('plain.txt', 'half.npy', '--dtype', 'f16')).code).toBe(0);
  expect((await encode('plain.txt', 'half.f16')).code).toBe(0);
  const [npy, raw] = [await written('half.npy'), await written('half.f16')];
  expect(raw.vectors).toEqual(npy.vectors);
  expectClose(npy.vectors, await expected(TEXTS), 1e-3);
  expect((await readFile(join(folder, 'half.f16'))).length).toBe(4 * 16 * 2);
});

test('fewer layers, shorter texts and small batches', async () => {
  const flags = ['--layers', '1', '--max-length', '8', '--token-budget', '8', '--threads', '1'];
  const { stdout, code } = await encode('plain.txt', 'small.npy', '--json', ...flags);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ texts: 4, maxLength: 8 });
  expect(JSON.parse(stdout).tokens).toBeLessThanOrEqual(4 * 8);
});

test('progress and cost go to stderr and stay away with --quiet', async () => {
  const { stderr, stdout } = await run('encode', 'set', '--model', 'model', '--output', 'told.npy');
  expect(stderr).toMatch(/2 layers × 16, 64 tokens at most; about 4 texts, 0\.0 MB of vectors/);
  expect(stderr).toMatch(/encode: 4 texts in .*tokens\/s/);
  expect(stdout).toMatch(
    /^told\.npy: 4 vectors of 16 \(f32\), \d+ tokens at [\d,]+\/s; ids in told\.ids\.txt\n$/,
  );
});

describe('what goes wrong is told, and nothing is left behind', () => {
  test.each([
    ['wrong-field.jsonl', [], /wrong-field\.jsonl:5: field "text": expected a string, got a number \(7\)/],
    ['broken.jsonl', [], /broken\.jsonl:5: not valid JSON/],
    ['latin1.txt', [], /latin1\.txt:1: not valid UTF-8[\s\S]*iconv/],
    [
      'own.jsonl',
      [],
      /own\.jsonl:1: cannot tell what it holds; fields found: key, prose[\s\S]*--text-field prose/,
    ],
    ['nowhere.jsonl', [], /nowhere\.jsonl: no such file or folder/],
    ['empty.txt', [], /empty\.txt: no texts to encode/],
    ['set', ['--queries', '--split', 'dev'], /no split "dev"[\s\S]*it has: test/],
    ['set', ['--layers', '3'], /expected layers from 1 to 2, got 3/],
    ['set', ['--max-length', '65'], /maxLength: expected 3 to 64 tokens, got 65/],
  ])('%s %j', async (input, flags, message) => {
    const before = await readdir(folder);
    const { code, stdout, stderr } = await encode(input, 'fails.npy', ...flags);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(await readdir(folder)).toEqual(before);
  });

  test.each([
    ['file/below.npy', 1, /file\/below\.npy: cannot write/],
    ['vectors.bin', 2, /expected a name ending in \.npy, \.f32 or \.f16/],
  ])('output %s', async (output, expected, message) => {
    const before = await readdir(folder);
    const { code, stderr } = await encode('set', output);
    expect(stderr).toMatch(message);
    expect(code).toBe(expected);
    expect(await readdir(folder)).toEqual(before);
  });

  test('a hub id without a network', async () => {
    const environment = { ...process.env, HF_ENDPOINT: 'http://127.0.0.1:9', HF_HUB_OFFLINE: '1' };
    const cli = resolve(import.meta.dirname, '../dist/cli/main.js');
    const args = [cli, 'encode', 'set', '--model', 'someone/some-model', '--output', 'hub.npy'];
    const stderr = await new Promise<string>((done) => {
      execFile(process.execPath, args, { cwd: folder, env: environment }, (_error, _out, text) => done(text));
    });
    expect(stderr).toMatch(/^nearmiss: someone\/some-model: .*\n {2}→ /);
  });

  test.each([
    [['encode', 'set', '--model', 'model'], /--output/],
    [['encode', 'set', '--model', 'model', '--output', 'x.npy', '--dtype', 'f64'], /f32, f16/],
    [
      ['encode', 'set', '--model', 'model', '--output', 'x.npy', '--split', 'test'],
      /expected --queries with it/,
    ],
  ])('usage %j', async (args, message) => {
    const { code, stderr } = await run(...args);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});

test('--provider says what computes; one that is not there is refused with those that are', async () => {
  await writeFile(join(folder, 'one.txt'), 'near miss\n');
  const text = ['one.txt', 'one.npy', '--format', 'text'] as const;
  expect((await encode(...text, '--provider', 'cpu')).code).toBe(0);
  const { code, stderr } = await encode('one.txt', 'two.npy', '--format', 'text', '--provider', 'abacus');
  expect(code).toBe(1);
  expect(stderr).toMatch(/cannot start the model on abacus[\s\S]*this runtime has .*cpu/);
});
