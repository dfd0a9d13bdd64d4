import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NearmissError } from '../../base/errors.js';
import { COMMIT, LocalHub } from './hub.fixture.js';
import { downloadModel, type HubModel, type HubOptions } from './hub.js';

const WEIGHTS = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));

let hub: LocalHub;
let cache: string;
beforeEach(async () => {
  hub = await LocalHub.start();
  cache = await mkdtemp(join(tmpdir(), 'nearmiss-hub-'));
  hub.files.set('config.json', Buffer.from('{"model_type": "bert"}'));
  hub.files.set('tokenizer.json', Buffer.from('{}'));
  hub.files.set('model.safetensors', WEIGHTS);
});
afterEach(async () => {
  await hub.stop();
  await rm(cache, { recursive: true });
});

function download(options: HubOptions = {}): Promise<HubModel> {
  return downloadModel('org/model', {
    endpoint: hub.endpoint,
    cache,
    quiet: true,
    retryDelayMs: 1,
    ...options,
  });
}

function requestsFor(name: string): typeof hub.requests {
  return hub.requests.filter(({ path }) => path.startsWith('/large/') && path.endsWith(name));
}

async function failure(options: HubOptions = {}): Promise<NearmissError> {
  const error = await download(options).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(NearmissError);
  return error as NearmissError;
}

describe('downloading', () => {
  test('fetches what a retriever needs, and nothing else', async () => {
    const wanted = [
      '1_Pooling/config.json',
      '2_Dense/config.json',
      '2_Dense/model.safetensors',
      'config.json',
      'config_sentence_transformers.json',
      'model.safetensors',
      'modules.json',
      'sentence_bert_config.json',
      'special_tokens_map.json',
      'tokenizer.json',
      'tokenizer_config.json',
    ];
    const unwanted = [
      'onnx/model.onnx',
      'pytorch_model.bin',
      'tf_model.h5',
      'model.fp16.safetensors',
      '2_Dense/pytorch_model.bin',
      '.gitattributes',
    ];
    for (const name of [...wanted, ...unwanted]) hub.files.set(name, Buffer.from(`content of ${name}`));
    const { folder, commit } = await download();
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    const names = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    expect(names.map((name) => name.slice(folder.length + 1)).sort()).toEqual(wanted);
    expect(await readFile(join(folder, '2_Dense/model.safetensors'), 'utf8')).toBe(
      'content of 2_Dense/model.safetensors',
    );
    expect(commit).toBe(COMMIT);
  });

  test('shards come with their index; a single file of another name is taken', async () => {
    hub.files.delete('model.safetensors');
    for (const name of [
      'model.safetensors.index.json',
      'model-00001-of-00002.safetensors',
      'model-00002-of-00002.safetensors',
      'other.safetensors',
    ]) {
      hub.files.set(name, Buffer.from(name));
    }
    const { folder } = await download();
    expect(await readdir(folder)).toEqual([
      'config.json',
      'model-00001-of-00002.safetensors',
      'model-00002-of-00002.safetensors',
      'model.safetensors.index.json',
      'tokenizer.json',
    ]);
  });

  test('where there are no safetensors, an ONNX export comes with its data', async () => {
    hub.files.delete('model.safetensors');
    const wanted = ['onnx/model.onnx', 'onnx/model.onnx_data'];
    const unwanted = [
      'onnx/model_quantized.onnx',
      'onnx/model_fp16.onnx',
      'onnx/model_fp16.onnx_data',
      'pytorch_model.bin',
    ];
    for (const name of [...wanted, ...unwanted]) hub.files.set(name, Buffer.from(name));
    const { folder } = await download();
    expect((await readdir(join(folder, 'onnx'))).sort()).toEqual(['model.onnx', 'model.onnx_data']);
    expect(await readdir(folder)).toEqual(['config.json', 'onnx', 'tokenizer.json']);
  });

  test('a branch is looked up again, its files are not fetched again; a commit needs no network', async () => {
    const first = await download();
    const count = hub.requests.length;
    expect(await download()).toEqual(first);
    expect(hub.requests).toHaveLength(count + 1);
    expect(await download({ revision: COMMIT })).toEqual(first);
    expect(hub.requests).toHaveLength(count + 1);
  });

  test('a branch that moved is fetched anew', async () => {
    const first = await download();
    hub.commit = 'beef'.padEnd(40, '0');
    const second = await download();
    expect(second.commit).toBe(hub.commit);
    expect(second.folder).not.toBe(first.folder);
  });

  test('the token goes along, and revisions with slashes are escaped', async () => {
    await download({ token: 'secret', revision: 'refs/pr/1' });
    expect(hub.requests[0]).toMatchObject({
      path: '/api/models/org/model/revision/refs/pr/1',
      authorization: 'Bearer secret',
    });
  });

  test('two at once do not disturb each other', async () => {
    const [a, b] = await Promise.all([download(), download()]);
    expect(a).toEqual(b);
    expect(requestsFor('model.safetensors')).toHaveLength(1);
  });
});

describe('interruptions', () => {
  test('a broken connection is continued where it stopped', async () => {
    hub.breakAfter = [100_000, 50_000];
    const { folder } = await download();
    expect(WEIGHTS.equals(await readFile(join(folder, 'model.safetensors')))).toBe(true);
    const starts = requestsFor('model.safetensors').map(({ range }) => Number(range?.match(/\d+/)?.[0] ?? 0));
    expect(starts).toHaveLength(3);
    expect(starts[0]).toBe(0);
    expect(starts[1]).toBeGreaterThan(0);
    expect(starts[2]).toBeGreaterThan(starts[1]);
  });

  test('a run that gave up leaves what it got, and the next run continues', async () => {
    hub.breakAfter = [120_000, 0, 0, 0, 0, 0];
    const error = await failure();
    expect(error.message).toMatch(/the download of model\.safetensors broke off 5 times/);
    expect(error.hint).toContain('continues where it stopped');
    const repository = join(cache, 'models', 'org--model');
    expect(await readdir(repository)).toEqual([`.partial-${COMMIT}`]);
    const part = await stat(join(repository, `.partial-${COMMIT}`, 'model.safetensors.part'));
    expect(part.size).toBeGreaterThan(0);

    hub.requests.length = 0;
    hub.breakAfter = [];
    const { folder } = await download();
    expect(WEIGHTS.equals(await readFile(join(folder, 'model.safetensors')))).toBe(true);
    expect(requestsFor('model.safetensors').map(({ range }) => range)).toEqual([`bytes=${part.size}-`]);
    expect((await readdir(repository)).sort()).toEqual([COMMIT, 'refs']);
  });

  test('a server without ranges is asked for everything again', async () => {
    hub.breakAfter = [100_000];
    hub.ignoreRanges = true;
    const { folder } = await download();
    expect(WEIGHTS.equals(await readFile(join(folder, 'model.safetensors')))).toBe(true);
  });

  test('a file whose size the hub does not tell, and that was there already', async () => {
    const sha256 = createHash('sha256').update(WEIGHTS).digest('hex');
    hub.lie['model.safetensors'] = { size: undefined, lfs: { sha256 } };
    const partial = join(cache, 'models', 'org--model', `.partial-${COMMIT}`);
    await mkdir(partial, { recursive: true });
    await writeFile(join(partial, 'model.safetensors.part'), WEIGHTS);
    const { folder } = await download();
    expect(WEIGHTS.equals(await readFile(join(folder, 'model.safetensors')))).toBe(true);
    const ranges = requestsFor('model.safetensors').map(({ range }) => range);
    expect(ranges).toEqual([`bytes=${WEIGHTS.length}-`, undefined]);
  });

  test('a busy server is asked again', async () => {
    hub.stumble = [503, 429];
    expect((await download()).commit).toBe(COMMIT);
  });

  test.each([
    ['size', { lfs: { sha256: 'x', size: 299_999 } }, 'expected 299999 bytes, got 300000'],
    ['hash', { lfs: { sha256: '0'.repeat(64), size: 300_000 } }, `expected SHA-256 ${'0'.repeat(64)}, got `],
  ])('a wrong %s is not accepted, and the file not kept', async (_, lie, message) => {
    hub.lie['model.safetensors'] = lie;
    expect((await failure()).message).toContain(`the download is damaged: ${message}`);
    hub.lie = {};
    await download();
  });

  test("files in git are checked by git's hash", async () => {
    hub.lie['config.json'] = { blobId: '1'.repeat(40) };
    expect((await failure()).message).toContain(`expected git blob ${'1'.repeat(40)}, got `);
  });
});

describe('refusals', () => {
  test.each<[string, { status: number; code?: string }, string, string]>([
    [
      'an unknown model',
      { status: 404, code: 'RepoNotFound' },
      'org/model: the model does not exist (404)',
      'check the spelling',
    ],
    [
      'an unknown revision',
      { status: 404, code: 'RevisionNotFound' },
      'org/model: no revision "main" (404)',
      'revision',
    ],
    [
      'an unknown or private model',
      { status: 401 },
      'org/model: no such model, or it is private (401)',
      'set HF_TOKEN',
    ],
    [
      'a gated model',
      { status: 401, code: 'GatedRepo' },
      'org/model: access is restricted (401)',
      "accept the model's terms at http",
    ],
    ['a forbidden model', { status: 403 }, 'org/model: access is restricted (403)', 'HF_TOKEN'],
    ['a teapot', { status: 418 }, "the server answered 418 I'm a Teapot", 'browser'],
    ['a server in trouble', { status: 500 }, 'cannot be reached (the server answered 500', 'minilm'],
  ])('%s', async (_, refuse, message, hint) => {
    hub.refuse = refuse;
    const error = await failure();
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });

  test('something that is not a hub', async () => {
    const error = await failure({ endpoint: `${hub.endpoint}/elsewhere` });
    expect(error.message).toContain('(404)');
    hub.commit = 'not a commit';
    expect((await failure()).message).toContain('field "sha": expected a commit of 40 hex digits');
  });

  test('weights that are only pickled', async () => {
    hub.files.delete('model.safetensors');
    expect((await failure()).message).toContain('org/model: no weights');
    hub.files.set('pytorch_model.bin', Buffer.from('PK'));
    expect((await failure()).message).toContain('org/model: the weights are only there as pytorch_model.bin');
    hub.files.set('model.safetensors', WEIGHTS);
    hub.files.set('2_Dense/pytorch_model.bin', Buffer.from('PK'));
    expect((await failure()).message).toContain('org/model/2_Dense: the weights are only there as');
  });

  test('a cache that cannot be written', async () => {
    const file = join(cache, 'file');
    await writeFile(file, '');
    const error = await failure({ cache: file });
    expect(error.message).toContain('cannot write');
    expect(error.hint).toContain('NEARMISS_CACHE');
  });
});

describe('without a network', () => {
  test('a server that is down is an error that says what to do', async () => {
    const { endpoint } = hub;
    await hub.stop();
    const error = await failure({ endpoint });
    expect(error.message).toMatch(/^org\/model: cannot download: .* cannot be reached \(.*ECONNREFUSED/);
    expect(error.hint).toContain('HF_ENDPOINT');
    expect(error.hint).toContain('"minilm"');
  });

  test('what was fetched before is used', async () => {
    const { endpoint } = hub;
    const first = await download();
    await hub.stop();
    expect(await download({ endpoint })).toEqual(first);
    expect(await download({ endpoint, offline: true })).toEqual(first);
    expect((await failure({ endpoint, offline: true, revision: 'v2' })).message).toContain(
      'offline mode is on',
    );
  });
});
