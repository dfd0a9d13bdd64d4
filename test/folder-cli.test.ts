import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEncoderModel, saveEncoderModel } from '../src/model/index.js';
import { trainTokenizer } from '../src/text/train-tokenizer.js';
import { type CliResult, runBuiltCli } from './console-blocks.fixture.js';

// A folder of texts, as it is, for every command that takes a collection.

let folder = '';
const run = (...args: string[]): Promise<CliResult> => runBuiltCli(args, { cwd: folder });
const succeed = async (...args: string[]): Promise<CliResult> => {
  const result = await run(...args);
  expect(result.code, result.stderr).toBe(0);
  return result;
};

const LEFT_OUT = '3 files of other types were left out (.pptx 2, .docx 1)';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-folder-cli-'));
  const files: Record<string, string | Buffer> = {
    'handbook/cats.md': '# Cats\n\nThey purr.\n\n## Food\n\nThey eat fish.',
    'handbook/more/my dogs.html': '<h1>Dogs</h1><p>They bark at cats.</p>',
    'handbook/a.pptx': '',
    'handbook/b.pptx': '',
    'handbook/c.docx': '',
    'mixed/good.md': 'A good text.',
    'mixed/latin.txt': Buffer.from('na\xefve', 'latin1'),
    'mixed/latin.csv': Buffer.from('question,answer\nna\xefve,text\n', 'latin1'),
    'questions/corpus.jsonl': '{"_id":"x","text":"unused"}\n',
    'questions/queries.jsonl': '{"_id":"q1","text":"who barks"}\n',
    'questions/qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq1\tmore/my%20dogs.html#1\t1\n',
    'odd/corpus.jsonl': '{"_id":"a\\tb","text":"text"}\n{"_id":"c","text":"text"}\n',
    'result.trec': 'q1 Q0 d1 1 3.5 bm25\n',
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  await symlink(join(folder, 'nowhere.md'), join(folder, 'handbook/dangling.md'));
  const texts = ['They purr.', 'They eat fish.', 'They bark at cats.'];
  async function* corpus(): AsyncGenerator<string> {
    yield* texts;
  }
  const tokenizer = await trainTokenizer(corpus(), { vocabularySize: 100 });
  const model = createEncoderModel({
    tokenizer,
    hiddenSize: 16,
    layers: 1,
    heads: 2,
    maxLength: 64,
    seed: 5,
  });
  await saveEncoderModel(join(folder, 'model'), model);
});
afterAll(() => rm(folder, { recursive: true }));

const IDS = ['cats.md#1', 'cats.md#2', 'more/my%20dogs.html#1'];

test('data import says which files it left out', async () => {
  const { stdout, stderr } = await succeed('data', 'import', 'handbook', 'imported', '--json');
  expect(stderr).toContain(LEFT_OUT);
  expect(JSON.parse(stdout)).toMatchObject({ documents: 3, leftOut: { '.pptx': 2, '.docx': 1 } });
  const corpus = (await readFile(join(folder, 'imported/corpus.jsonl'), 'utf8')).trim().split('\n');
  expect(corpus.map((line) => JSON.parse(line)._id)).toEqual(IDS);
});

test('data import --skip-errors leaves out a file that is not UTF-8; validate lists it', async () => {
  const stopped = await run('data', 'import', 'mixed', 'stopped');
  expect([stopped.code, stopped.stderr]).toEqual([
    1,
    expect.stringContaining('latin.txt:1: not valid UTF-8'),
  ]);
  const { stdout } = await succeed('data', 'import', 'mixed', 'skipped', '--skip-errors', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ documents: 1, errors: 1 });
  const validated = await run('data', 'validate', 'mixed', '--json');
  expect(validated.code).toBe(1);
  expect(JSON.parse(validated.stdout)).toMatchObject({
    errors: 1,
    codes: { 'broken-utf8': 1 },
    checked: { documents: 1 },
  });
});

test.each(['stats', 'validate'])('data %s', async (command) => {
  const { stdout, stderr } = await succeed('data', command, 'handbook', '--json');
  expect(stderr).toContain(LEFT_OUT);
  expect(JSON.parse(stdout)).toMatchObject({ leftOut: { '.pptx': 2, '.docx': 1 } });
});

test('data export, but not of ids that a table cannot hold, which validate warns of', async () => {
  await succeed('data', 'export', 'handbook', 'exported');
  const table = await readFile(join(folder, 'exported/collection.tsv'), 'utf8');
  expect(
    table
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[0]),
  ).toEqual(IDS);
  const refused = await run('data', 'export', 'odd', 'never');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('id "a\\tb": expected no white space');
  const { stdout } = await succeed('data', 'validate', 'odd', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ warnings: 1, codes: { 'blank-in-id': 1 } });
});

test('bm25 index and bm25 search', async () => {
  const { stderr } = await succeed('bm25', 'index', 'handbook', 'words', '--format', 'folder');
  expect(stderr).toContain(LEFT_OUT);
  await succeed('bm25', 'search', 'words', '--queries', 'questions', '--split', 'test', '--run', 'bm25.trec');
  expect(await readFile(join(folder, 'bm25.trec'), 'utf8')).toMatch(/^q1 Q0 more\/my%20dogs\.html#1 1 /);
});

test.each(['auto', 'folder'])('encode --format %s', async (format) => {
  const { stderr } = await succeed(
    'encode',
    'handbook',
    '--model',
    'model',
    '--output',
    'v.npy',
    '--format',
    format,
  );
  expect(stderr).toContain(LEFT_OUT);
  expect((await readFile(join(folder, 'v.ids.txt'), 'utf8')).trim().split('\n')).toEqual(IDS);
});

test('search, whose run file can be measured', async () => {
  const { stdout, stderr } = await succeed('search', 'handbook', 'bark', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ mode: 'hybrid' });
  expect(JSON.parse(stdout).hits[0].id).toBe(IDS[2]);
  expect(stderr).toContain(LEFT_OUT);
  expect((await succeed('search', 'handbook', 'bark')).stderr).toBe('');
  await succeed('search', 'handbook', '--queries', 'questions', '--split', 'test', '--run', 'search.trec');
  const { stdout: measured } = await succeed('eval', 'search.trec', 'questions', '--split', 'test', '--json');
  expect(JSON.stringify(JSON.parse(measured))).toContain('"RR@10":1');
});

test.each([
  ['mine', 'handbook', '--out', 'mined'],
  ['train', '--data', 'handbook', '--recipe', 'ance-firstp', '--out', 'run'],
])('%s says that it needs queries and judgments', async (...args) => {
  const { code, stderr } = await run(...args);
  expect(code).toBe(1);
  expect(stderr).toMatch(/judgments/);
  expect(stderr).toMatch(/--queries FILE --qrels/);
  expect(stderr).not.toContain('nearmiss data split');
});

test('an overlap too large is an error of that option', async () => {
  const { code, stderr } = await run(
    'data',
    'import',
    'handbook',
    'never',
    '--max-words',
    '10',
    '--overlap',
    '10',
  );
  expect(code).toBe(2);
  expect(stderr).toContain('--overlap: expected at most 5, half of --max-words 10, got 10');
});

test('a file that is all there is and cannot be read is the error itself', async () => {
  const { code, stderr } = await run('search', 'mixed/latin.csv', 'bark', '--mode', 'bm25');
  expect(code).toBe(1);
  expect(stderr).toContain('latin.csv:2: not valid UTF-8');
  expect(stderr).toContain('convert the file from its own encoding');
});

test('search of a file that is no collection proposes no option that search does not have', async () => {
  const { code, stderr } = await run('search', 'result.trec', 'bark');
  expect(code).toBe(1);
  expect(stderr).toContain('nearmiss data import result.trec OUT --format NAME');
});
