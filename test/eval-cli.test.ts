import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliResult, runBuiltCli } from './console-blocks.fixture.js';

let folder = '';
const run = (...args: string[]): Promise<CliResult> => runBuiltCli(args, { cwd: folder });

const RUN = 'q1 Q0 d1 1 2 sys\nq1 Q0 d2 2 1 sys\nq2 Q0 d9 1 5 sys\n';
const OTHER = 'q1 Q0 d2 1 2 other\nq2 Q0 d3 1 5 other\n';
const QRELS = 'q1 0 d1 2\nq1 0 d3 0\nq2 0 d3 1\nq3 0 d1 1\n';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-eval-cli-'));
  await mkdir(join(folder, 'set/qrels'), { recursive: true });
  const files: Record<string, string | Buffer> = {
    'run.trec': RUN,
    'run.gz': gzipSync(RUN),
    'other.trec': OTHER,
    'qrels.txt': QRELS,
    'broken.trec': 'q1 Q0 d1 1 2 sys\nq1 Q0 d2 2 two sys\n',
    'foreign.txt': 'x1 0 d1 1\n',
    'set/corpus.jsonl': ['d1', 'd2', 'd3', 'd9']
      .map((id) => `{"_id":"${id}","title":"","text":"answer of ${id}"}\n`)
      .join(''),
    'set/queries.jsonl': [1, 2, 3]
      .map((n) => `{"_id":"q${n}","text":"?","metadata":{"answers":["d${n + 1}"]}}\n`)
      .join(''),
    'set/qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td3\t1\n',
    'set/qrels/dev.tsv': 'query-id\tcorpus-id\tscore\nq3\td1\t1\n',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
});
afterAll(() => rm(folder, { recursive: true }));

describe('eval', () => {
  test('file, gzip and standard input give the same', async () => {
    const file = await run('eval', 'run.trec', 'qrels.txt', '--json', '-q', '-c');
    expect(file.code).toBe(0);
    expect(JSON.parse(file.stdout)).toMatchObject({
      run: 'sys',
      queries: 3,
      perQuery: { q1: { 'RR@10': 1 } },
    });
    expect((await run('eval', 'run.gz', 'qrels.txt', '--json', '-q', '-c')).stdout).toBe(file.stdout);
    const piped = await runBuiltCli(['eval', '-', 'qrels.txt', '--json', '-q', '-c'], {
      cwd: folder,
      input: RUN,
    });
    expect(piped.stdout).toBe(file.stdout);
  });

  test('JSON lines', async () => {
    const { stdout } = await run('eval', 'run.trec', 'qrels.txt', '--format', 'jsonl', '-m', 'RR', '-q');
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { query_id: 'q1', measure: 'RR', value: 1 },
      { query_id: 'q2', measure: 'RR', value: 0 },
      { query_id: 'all', measure: 'RR', value: 0.5 },
    ]);
  });

  test('judged queries without hits are told on stderr and counted in JSON', async () => {
    const told =
      'nearmiss: sys has no hits for 1 of 3 judged queries; it is left out, as trec_eval does; -c counts it as 0\n';
    const some = await run('eval', 'run.trec', 'qrels.txt', '--json', '-m', 'RR');
    expect(some.stderr).toBe(told);
    expect(JSON.parse(some.stdout)).toMatchObject({ queries: 2, missing: 1, mean: { RR: 0.5 } });
    expect((await run('eval', 'run.trec', 'qrels.txt', '--format', 'trec')).stderr).toBe(told);
    const all = await run('eval', 'run.trec', 'qrels.txt', '--json', '-m', 'RR', '-c');
    expect(all.stderr).toBe('');
    expect(JSON.parse(all.stdout)).toMatchObject({ queries: 3, missing: 1, mean: { RR: 1 / 3 } });
    const several = await runBuiltCli(['eval', '-', 'qrels.txt'], {
      cwd: folder,
      input: 'q1 Q0 d1 1 2 one\n',
    });
    expect(several.stderr).toContain('one has no hits for 2 of 3 judged queries; they are left out');
  });

  test('a dataset folder with its answers', async () => {
    const { stdout, stderr, code } = await run(
      'eval',
      'run.trec',
      'set',
      '--split',
      'test',
      '-m',
      'RR Coverage@1 Coverage@2',
      '--json',
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).mean).toEqual({ RR: 0.5, 'Coverage@1': 0, 'Coverage@2': 0.5 });
  });
});

describe('errors: exit code, one line that says where, one that says what to do, no stack', () => {
  test.each<[string[], number, string]>([
    [['eval', 'absent.trec', 'qrels.txt'], 1, 'nearmiss: absent.trec: no such file\n  → check the path\n'],
    [['eval', 'run.trec', 'absent.txt'], 1, 'nearmiss: absent.txt: no such file\n  → check the path\n'],
    [
      ['eval', 'broken.trec', 'qrels.txt'],
      1,
      'nearmiss: broken.trec:2: field "score": expected a number, got "two"\n' +
        '  → a TREC run has 6 columns (qid Q0 docid rank score tag), an MS MARCO run has 3 (qid docid rank)\n',
    ],
    [
      ['eval', 'qrels.txt', 'run.trec'],
      1,
      'nearmiss: run.trec:1: expected 3 columns (query-id, corpus-id, score) or 4 (query-id, 0, document-id, grade), got 6\n',
    ],
    [
      ['eval', 'run.trec', 'foreign.txt'],
      1,
      'nearmiss: the run "sys" and the qrels have no query in common (run: 2 queries such as "q1", qrels: 1 such as "x1")\n' +
        '  → check that both are of the same collection and split\n',
    ],
    [
      ['eval', 'run.trec', 'qrels.txt', '-m', 'nDGC@10'],
      2,
      'nearmiss: unknown measure "nDGC@10"\n  → did you mean nDCG@10?\n',
    ],
    [
      ['eval', 'run.trec'],
      2,
      'nearmiss: expected a run file and qrels, or the folder of a training run or a collection\n  → nearmiss eval run.trec qrels.txt, or nearmiss eval runs/mine --split test\n',
    ],
    [['eval', 'nowhere'], 1, 'nearmiss: nowhere: no such file or folder\n'],
    [
      ['compare', 'set', 'run.trec', '--qrels', 'qrels.txt'],
      1,
      'nearmiss: set: expected a run file, got a folder\n  → a training run is measured by nearmiss eval set --split test; ',
    ],
    [
      ['eval', 'run.trec', 'set'],
      2,
      'nearmiss: set has 2 splits: dev, test\n  → choose one, e.g. --split test\n',
    ],
    [
      ['eval', 'run.trec', 'qrels.txt', '-m', 'Coverage@5'],
      1,
      'nearmiss: Coverage@5 needs the answers and the texts of a dataset\n',
    ],
    [
      ['compare', 'run.trec', '--qrels', 'qrels.txt'],
      2,
      'nearmiss: expected two run files or more, got one\n',
    ],
    [
      ['compare', 'run.trec', 'other.trec', '--qrels', 'qrels.txt', '--baseline', 'x'],
      2,
      'nearmiss: --baseline: no run called "x"\n  → the runs are sys, other\n',
    ],
    [
      ['fuse', 'run.trec', 'other.trec', '--weights', '1', '--out', 'f'],
      2,
      'nearmiss: --weights: expected 2 numbers, one for each run, got 1\n',
    ],
    [['fuse', 'run.trec', 'broken.trec', '--out', 'f'], 1, 'nearmiss: broken.trec:2: field "score"'],
  ])('nearmiss %j', async (args, code, message) => {
    const result = await run(...args);
    expect(result.stderr.slice(0, message.length)).toBe(message);
    expect(result.code).toBe(code);
    expect(result.stdout).toBe('');
    expect(result.stderr).not.toMatch(/^ +at /m);
  });

  test('values of options are checked: exit code 2', async () => {
    for (const args of [['-l', 'x'], ['-M', '0'], ['--format', 'xml'], ['--nope']]) {
      expect((await run('eval', 'run.trec', 'qrels.txt', ...args)).code).toBe(2);
    }
  });
});

describe('compare and fuse', () => {
  test('a run without hits for some queries is told, on stderr', async () => {
    await writeFile(join(folder, 'short.trec'), 'q1 Q0 d1 1 1 short\n');
    const result = await run(
      'compare',
      'run.trec',
      'short.trec',
      '--qrels',
      'qrels.txt',
      '--json',
      '-m',
      'RR',
    );
    expect(result.stderr).toBe('nearmiss: short has no hits for 1 of 2 queries; it counts as 0\n');
    const report = JSON.parse(result.stdout);
    expect(report.queries).toEqual(['q1', 'q2']);
    expect(report.pairs[0]).toMatchObject({ system: 'short', reference: 'sys', difference: 0, ties: 2 });
    expect(report.systems[1]).toMatchObject({ missing: 1, perQuery: { RR: [1, 0] } });
  });

  test('runs with the same tag are told apart by their files', async () => {
    await writeFile(join(folder, 'again.trec.gz'), gzipSync(RUN));
    const { stdout } = await run('compare', 'run.trec', 'again.trec.gz', '--qrels', 'qrels.txt');
    expect(stdout).toMatch(/^a {2}run /m);
    expect(stdout).toMatch(/^b {2}again /m);
  });

  test('a fused run is written whole and can be evaluated', async () => {
    const result = await run(
      'fuse',
      'run.trec',
      'other.trec',
      '--method',
      'rrf',
      '--out',
      'made/fused.trec',
      '--json',
    );
    expect(JSON.parse(result.stdout)).toEqual({
      out: 'made/fused.trec',
      queries: 2,
      method: 'rrf',
      weights: [1, 1],
    });
    expect(await readdir(join(folder, 'made'))).toEqual(['fused.trec']);
    const lines = (await readFile(join(folder, 'made/fused.trec'), 'utf8')).split('\n');
    expect(lines[0]).toBe(`q1 Q0 d2 1 ${1 / 62 + 1 / 61} sys+other`);
    expect((await run('eval', 'made/fused.trec', 'qrels.txt')).code).toBe(0);
  });

  test('tuned weights are printed with what they were tuned for; progress goes to stderr', async () => {
    const result = await run(
      'fuse',
      'run.trec',
      'other.trec',
      '--tune-on',
      'qrels.txt',
      '--measure',
      'RR',
      '--out',
      't.trec',
      '--json',
    );
    expect(JSON.parse(result.stdout)).toMatchObject({ measure: 'RR', tuned: 0.75 });
    expect(result.stderr).toContain('best RR 0.7500');
  });
});

test.each(['eval', 'compare', 'fuse'])('%s --help shows examples', async (command) => {
  const { stdout, code } = await run(command, '--help');
  expect(code).toBe(0);
  expect(stdout).toContain(`Examples:\n  nearmiss ${command} `);
});
