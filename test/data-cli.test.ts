import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exists } from '../src/base/files.js';
import { type CliResult, runBuiltCli } from './console-blocks.fixture.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-data-cli-'));
});
afterEach(() => rm(folder, { recursive: true }));

const run = (...args: string[]): Promise<CliResult> => runBuiltCli(['data', ...args], { cwd: folder });
const write = (name: string, content: string | Buffer): Promise<void> =>
  writeFile(join(folder, name), content);

const BAD_LINE = '{"id":"3","text":["not a text"]}';
const DOCUMENTS = '{"id":"1","text":"one"}\n{"id":"2","text":"two","extra":true}\n';

describe('import', () => {
  test('writes a BEIR folder, compressed when asked, and counts as JSON', async () => {
    await write('docs.jsonl', DOCUMENTS);
    const { code, stdout } = await run('import', 'docs.jsonl', 'out', '--gzip', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      out: 'out',
      format: 'jsonl',
      documents: 2,
      errors: 0,
      warnings: 0,
    });
    const corpus = gunzipSync(await readFile(join(folder, 'out/corpus.jsonl.gz'))).toString();
    expect(corpus.split('\n')[1]).toBe('{"_id":"2","title":"","text":"two","metadata":{"extra":true}}');
  });

  test('a bad record stops it with file, line and field, without a stack trace, and leaves nothing', async () => {
    await write('docs.jsonl', `${DOCUMENTS}${BAD_LINE}\n`);
    const { code, stdout, stderr } = await run('import', 'docs.jsonl', 'out');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^nearmiss: docs\.jsonl:3: field "text": expected a string, got an array of 1$/m);
    expect(stderr).toContain('--skip-errors');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(await readdir(folder)).toEqual(['docs.jsonl']);
  });

  test('--skip-errors leaves bad records out and says so', async () => {
    await write('docs.jsonl', `${BAD_LINE}\n${DOCUMENTS}`);
    const { code, stdout, stderr } = await run('import', 'docs.jsonl', 'out', '--skip-errors', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ documents: 2, errors: 1 });
    expect(stderr).toMatch(/docs\.jsonl:1: field "text"/);
    expect(stderr).toMatch(/1 record with errors left out/);
  });

  test('an existing folder is kept unless --overwrite', async () => {
    await write('docs.jsonl', DOCUMENTS);
    await mkdir(join(folder, 'out'));
    expect(await run('import', 'docs.jsonl', 'out')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pass --overwrite'),
    });
    expect((await run('import', 'docs.jsonl', 'out', '--overwrite')).code).toBe(0);
    expect(await readdir(join(folder, 'out'))).toContain('corpus.jsonl');
  });

  test('--overwrite replaces a BEIR folder only, never what is read', async () => {
    await write('docs.jsonl', DOCUMENTS);
    await run('import', 'docs.jsonl', 'mine');
    await mkdir(join(folder, 'mine/inner'));
    await write('mine/inner/thesis.docx', 'years');
    const refused = [
      [
        ['import', 'docs.jsonl', 'mine'],
        /mine: expected a BEIR folder and nothing else, got inner\/thesis\.docx/,
      ],
      [
        ['import', 'docs.jsonl', 'docs.jsonl'],
        /docs\.jsonl: expected another place than the source, got the same/,
      ],
      [['import', 'mine/corpus.jsonl', 'mine'], /got a folder around mine\/corpus\.jsonl/],
      [['import', 'docs.jsonl', 'mine', '--queries', 'mine/queries.jsonl'], /around mine\/queries\.jsonl/],
      [['split', 'mine', 'mine'], /got the same/],
      [['sample', 'mine', './mine', '--documents', '1', '--queries', '1'], /got the same/],
      [['export', 'mine', 'mine/../mine'], /got the same/],
    ] as const;
    for (const [args, stderr] of refused) {
      const result = await run(...args, '--overwrite');
      expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(stderr) });
    }
    expect(await readFile(join(folder, 'docs.jsonl'), 'utf8')).toBe(DOCUMENTS);
    expect(await readFile(join(folder, 'mine/inner/thesis.docx'), 'utf8')).toBe('years');
    expect(await readdir(join(folder, 'mine'))).toContain('corpus.jsonl');
  });

  test('files that are not imported are named', async () => {
    await mkdir(join(folder, 'marco'));
    await write('marco/collection.tsv', '1\tone\n');
    await write('marco/top1000.dev', '1\t1\tq\tone\n');
    expect((await run('import', 'marco', 'out')).stderr).toMatch(/not imported: top1000\.dev/);
  });

  test('wrong usage is exit code 2, missing files 1', async () => {
    expect((await run('import', 'docs.jsonl')).code).toBe(2);
    expect((await run('import', 'docs.jsonl', 'out', '--format', 'word')).code).toBe(2);
    expect(await run('import', 'nowhere', 'out')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nowhere: no such file or folder'),
    });
  });
});

describe('validate', () => {
  test('lists problems on stdout, counts them all, exit code 1; warnings alone are no failure', async () => {
    await write('docs.jsonl', `${BAD_LINE}\n${DOCUMENTS}${BAD_LINE}\n{"id":"4","text":""}\n`);
    const { code, stdout } = await run('validate', 'docs.jsonl', '--max', '1');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^error: docs\.jsonl:1: field "text"/);
    expect(stdout).toMatch(/… and 2 more \(--max 1\)/);
    expect(stdout).toMatch(/2 errors, 1 warning\n$/);
    await write('docs.jsonl', '{"id":"4","text":""}\n');
    expect((await run('validate', 'docs.jsonl')).code).toBe(0);
    await write('docs.jsonl', Buffer.from([0x7b, 0xff, 0x0a]));
    const broken = await run('validate', 'docs.jsonl', '--json');
    expect(JSON.parse(broken.stdout).codes).toEqual({ 'broken-utf8': 1 });
  });
});

const shared = resolve(import.meta.dirname, '../../shared/data');
const haveShared = await exists(join(shared, 'scifact'));
if (!haveShared) console.warn('skipped: ../shared/data is absent, real collections are not checked');

describe.skipIf(!haveShared)('real collections', () => {
  test.each(['scifact', 'cranfield', 'msmarco-mini', 'zh-cmrc-drcd'])('%s is valid', async (name) => {
    const { code, stdout } = await run('validate', join(shared, name), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).errors).toBe(0);
  });

  test('scifact has the published counts', async () => {
    const stats = JSON.parse((await run('stats', join(shared, 'scifact'), '--json')).stdout);
    expect(stats.documents.count).toBe(5183);
    expect(stats.splits).toMatchObject([
      { split: 'train', queries: 809, judgments: 919 },
      { split: 'test', queries: 300, judgments: 339 },
    ]);
  });

  test('splitting scifact by document ends the overlap that its own splits have', async () => {
    const args = ['split', join(shared, 'scifact'), 'out', '--by', 'document', '--seed', '7', '--json'];
    const { overlaps, queries } = JSON.parse((await run(...args)).stdout);
    expect(Object.values<number>(queries).reduce((sum, size) => sum + size)).toBe(1109);
    for (const overlap of overlaps) expect(overlap).toMatchObject({ queries: 0, positives: 0 });
    const stats = JSON.parse((await run('stats', 'out', '--json')).stdout);
    expect(stats.overlaps).toEqual(overlaps);
    const before = JSON.parse((await run('stats', join(shared, 'scifact'), '--json')).stdout);
    expect(before.overlaps[0].positives).toBeGreaterThan(100);
  });

  test('a sample of cranfield is valid and the seed decides', async () => {
    const args = ['sample', join(shared, 'cranfield'), '--documents', '300', '--queries', '20'];
    await run(...args, 'a', '--seed', '1');
    await run(...args, 'b', '--seed', '1');
    await run(...args, 'c', '--seed', '2');
    const corpus = (name: string): Promise<string> => readFile(join(folder, name, 'corpus.jsonl'), 'utf8');
    expect(await corpus('a')).toBe(await corpus('b'));
    expect(await corpus('a')).not.toBe(await corpus('c'));
    expect((await run('validate', 'a')).code).toBe(0);
  });

  test('export and import bring scifact back', async () => {
    await run('export', join(shared, 'scifact'), 'tsv');
    const { stdout } = await run('import', 'tsv', 'back', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'msmarco',
      documents: 5183,
      queries: 1109,
      judgments: { train: 919, test: 339 },
      dangling: 0,
    });
  });
});
