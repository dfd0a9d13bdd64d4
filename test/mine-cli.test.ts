import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { CandidateTable } from '../src/negatives/index.js';
import { type CliResult, runBuiltCli } from './console-blocks.fixture.js';

let folder = '';
const run = (...args: string[]): Promise<CliResult> => runBuiltCli(args, { cwd: folder });
const mineJson = async (...args: string[]) => {
  const { code, stdout, stderr } = await run('mine', 'set', '--json', ...args);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
};

const DOCUMENTS = [
  'red apples grow on trees',
  'green apples grow on trees, too',
  'Red apples grow on trees!',
  'apples were first grown in 1889',
  'the tram stops here',
  'a tram of 1889',
];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-mine-cli-'));
  await mkdir(join(folder, 'set/qrels'), { recursive: true });
  await mkdir(join(folder, 'tmp'));
  // The commands' own temporary files, to see that none is left.
  vi.stubEnv('TMPDIR', join(folder, 'tmp'));
  const line = (fields: object): string => `${JSON.stringify(fields)}\n`;
  const files: Record<string, string> = {
    'set/corpus.jsonl': DOCUMENTS.map((text, i) => line({ _id: `d${i}`, title: '', text })).join(''),
    'set/queries.jsonl': [
      line({ _id: 'q0', text: 'red apples', metadata: { answers: ['1889'] } }),
      line({ _id: 'q1', text: 'tram', metadata: { answers: ['bus'] } }),
      line({ _id: 'q2', text: 'no answers' }),
    ].join(''),
    'set/qrels/train.tsv': 'query-id\tcorpus-id\tscore\nq1\td4\t1\nq0\td0\t1\n',
    'set/qrels/broken.tsv': 'query-id\tcorpus-id\tscore\nq0\tnowhere\t1\n',
    'set/qrels/dev.tsv': 'query-id\tcorpus-id\tscore\nq2\td0\t1\n',
    'run.trec': 'q0 Q0 d5 1 3 s\nq0 Q0 d0 2 2 s\nq0 Q0 d1 3 1.95 s\nq0 Q0 d3 4 1 s\n',
    'foreign.trec': 'q0 Q0 nowhere 1 3 s\n',
    'examples.jsonl': line({
      query_id: 'q1',
      query_text: 'tram',
      positive_document_ids: ['d4', 'd5'],
      negative_document_ids: ['d1', 'd5', 'd2'],
    }),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});
afterEach(async () => {
  const left = await readdir(join(folder, 'tmp'));
  expect(left.filter((name) => name.startsWith('nearmiss-'))).toEqual([]);
});

describe('mine', () => {
  test('BM25, with an index and without, gives the same table', async () => {
    await mineJson('--out', 'bm25');
    await run('bm25', 'index', 'set', 'index');
    await mineJson('--index', 'index', '--out', 'indexed', '--threads', '1');
    const [table, indexed] = await Promise.all([
      CandidateTable.load(join(folder, 'bm25'), { queryCount: 2 }),
      CandidateTable.load(join(folder, 'indexed')),
    ]);
    expect(indexed).toEqual(table);
    // Queries in the order of the judgments; d2 has the text of q0's positive d0.
    expect([0, 1].map((query) => [...table.row(query).ids])).toEqual([[5], [1, 3]]);
    expect(table.provenance).toMatchObject({
      source: 'bm25',
      index: 'BM25 (en, k1 0.9, b 0.4)',
      documents: 6,
    });
  });

  test('report and samples are for people, or for programs', async () => {
    const { stdout, code } = await run('mine', 'set', '--drop-answers', '--show', '1');
    expect(code).toBe(0);
    expect(stdout).toContain('set, split train: 2 queries, 6 documents; BM25 (en, k1 0.9, b 0.4)');
    expect(stdout).toMatch(/− known-positives +2 /);
    expect(stdout).toMatch(/− duplicates +1 /);
    expect(stdout).toMatch(/− answers +1 /);
    expect(stdout).toMatch(/\nq[01]: (red apples|tram)\n/);
    const json = await mineJson('--keep-duplicates', '--show', '5');
    expect(json.report).toMatchObject({ removed: { 'known-positives': 2 }, kept: 4, empty: 0 });
    const sample = json.samples.find(({ id }: { id: string }) => id === 'q0');
    expect(sample.positives).toEqual([
      { id: 'd0', rank: 1, score: expect.any(Number), text: 'red apples grow on trees' },
    ]);
    expect(sample.negatives[0]).toMatchObject({ id: 'd2', rank: 2 });
    expect(json.samples).toEqual((await mineJson('--keep-duplicates', '--show', '5')).samples);
  });

  test('a preview shows what each rule drops, also of queries that have nothing left, and writes nothing', async () => {
    const flags = ['--source', 'run', '--run', 'run.trec', '--skip-ranks', '1', '--max-score', '.5'];
    const { samples } = await mineJson(...flags, '--preview');
    expect(samples).toHaveLength(1);
    expect(samples[0]).toMatchObject({
      id: 'q0',
      negatives: [],
      dropped: [
        { id: 'd5', rank: 1, score: 3, rule: 'skip-ranks' },
        { id: 'd1', rank: 3, rule: 'max-score' },
        { id: 'd3', rank: 4, score: 1, rule: 'max-score' },
      ],
    });
    const { stdout } = await run('mine', 'set', ...flags, '--preview');
    expect(stdout).toMatch(/× skip-ranks +1 +3\.0000 +d5 /);
    expect((await mineJson(...flags)).samples).toEqual([]);
    const refused = await run('mine', 'set', '--preview', '--out', 'x');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('--preview writes nothing, and --out says where to write');
  });

  test('a run of another system, with margins', async () => {
    await mineJson('--source', 'run', '--run', 'run.trec', '--relative-margin', '.95', '--out', 'run');
    const table = await CandidateTable.load(join(folder, 'run'));
    expect([0, 1].map((query) => [...table.row(query).ids])).toEqual([[], [3]]);
    expect([...table.row(1).ranks]).toEqual([4]);
    const { report } = await mineJson('--source', 'run', '--run', 'run.trec', '--skip-ranks', '2');
    expect(report).toMatchObject({ queries: 1, ranked: 4, removed: { 'skip-ranks': 1 }, kept: 2 });
  });

  test("examples: what the file calls positive is no negative, whatever the collection's judgments", async () => {
    await mineJson('--source', 'static', '--examples', 'examples.jsonl', '--out', 'static');
    const table = await CandidateTable.load(join(folder, 'static'));
    expect([...table.row(0).ids]).toEqual([1, 2]);
    expect(table.provenance.source).toBe('static');
  });

  test('a model', async () => {
    const args = [
      '--source',
      'model',
      '--model',
      'minilm',
      '--max-length',
      '16',
      '--depth',
      '4',
      '--show',
      '0',
    ];
    const { report } = await mineJson(...args, '--out', 'model');
    expect(report).toMatchObject({ queries: 2, ranked: 8, positivesFound: 2 });
    const table = await CandidateTable.load(join(folder, 'model'));
    expect(table.row(0).ids[0]).toBe(5);
  });

  test('training files read back as examples', async () => {
    await mineJson('--format', 'tevatron', '--out', 'tevatron.jsonl');
    const [first] = (await readFile(join(folder, 'tevatron.jsonl'), 'utf8')).split('\n');
    expect(JSON.parse(first)).toMatchObject({
      query_id: 'q1',
      query_text: 'tram',
      positive_document_ids: ['d4'],
      negative_document_ids: ['d5'],
    });
    await mineJson('--format', 'flagembedding', '--negatives', '1', '--out', 'flag.jsonl.gz');
    const lines = gunzipSync(await readFile(join(folder, 'flag.jsonl.gz')))
      .toString()
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { query: 'tram', pos: [DOCUMENTS[4]], neg: [DOCUMENTS[5]], neg_id: ['d5'] },
      { query: 'red apples', pos: [DOCUMENTS[0]], neg: [expect.stringContaining('apples')] },
    ]);
    const again = await mineJson('--source', 'static', '--examples', 'tevatron.jsonl');
    expect(again.report).toMatchObject({ queries: 2, kept: 3 });
  });
});

describe('what is wrong is said', () => {
  test.each([
    [
      ['--source', 'run', '--run', 'foreign.trec'],
      'run s, query "q0": the collection has no document "nowhere"',
    ],
    [
      ['--split', 'dev', '--drop-answers'],
      'query "q2": field "metadata.answers": expected an array of texts',
    ],
    [['--split', 'test'], 'no split "test"'],
    [['--split', 'broken'], 'judgments of query "q0": the collection has no document "nowhere"'],
    [['--source', 'static'], 'set: no training examples in split "train"'],
    [['--index', 'nowhere'], 'no such file'],
    [['--source', 'static', '--examples', 'examples.jsonl', '--margin', '1'], 'has no scores to compare'],
    [['--out', 'set'], 'set: already exists'],
    [['--out', 'set', '--overwrite'], 'set: expected a table of candidates and nothing else, got '],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await run('mine', 'set', ...args);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
    expect([code, stdout]).toEqual([1, '']);
  });

  test.each([
    [['--source', 'model'], '--source model: expected --model with it'],
    [['--run', 'run.trec'], '--run is of no use with --source bm25'],
    [['--negatives', '3'], '--negatives is of no use with --format table'],
    [['--format', 'tevatron'], 'expected --out with it'],
    [['--relative-margin', '95'], 'Expected a number from 0.01 to 1'],
  ])('usage: %j', async (args, message) => {
    const { code, stderr } = await run('mine', 'set', ...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  test('after a failure nothing is left behind', async () => {
    await run('mine', 'set', '--source', 'run', '--run', 'foreign.trec', '--out', 'failed');
    expect(existsSync(join(folder, 'failed'))).toBe(false);
    expect((await readdir(folder)).filter((name) => name.startsWith('.partial-'))).toEqual([]);
  });
});
