import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTinyRun } from '../src/analyze/tiny-run.fixture.js';
import { bothRoles } from '../src/train/run.fixture.js';
import { runBuiltCli } from './console-blocks.fixture.js';

// A document may hold whatever a terminal obeys: it is printed as text and nothing else.

/** Sets the title, asks for colours, clears the screen in seven bits and in eight, rings, deletes, turns the text around. */
const ORDERS = '\x1b]0;owned\x07\x1b[31m\x1b[2J\u009b2J\u009d0;owned\u009c\x7f\u202e';
/** Ids cannot hold white space where runs are written, but all of this. */
const ID = '\x1b[31m\u009b2J\x7f';
const OBEYED = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u;

const WORDS = ['anemia', 'blood', 'cells', 'doctor', 'iron', 'liver', 'marrow', 'oxygen', 'pulse', 'vein'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-printed-'));
  const lines = (records: object[]): string =>
    records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const documents = WORDS.map((word, i) => ({
    _id: `d${i}${ID}`,
    title: `${word} ${ORDERS}`,
    text: `${ORDERS} ${word} ${WORDS[(i + 1) % WORDS.length]} ${ORDERS}\r\n${word}`,
    metadata: { [`field${ORDERS}`]: `value${ORDERS}` },
  }));
  const queries = WORDS.map((word, i) => ({ _id: `q${i}${ID}`, text: `${word} ${ORDERS}` }));
  const judgments = WORDS.map((_, i) => `q${i}${ID}\td${i}${ID}\t1\n`).join('');
  await mkdir(join(folder, 'data', 'qrels'), { recursive: true });
  await writeFile(join(folder, 'data', 'corpus.jsonl'), lines(documents));
  await writeFile(join(folder, 'data', 'queries.jsonl'), lines(queries));
  for (const split of ['train', 'dev', 'test']) {
    await writeFile(join(folder, 'data', 'qrels', `${split}.tsv`), judgments);
  }
  const broken = [...documents, documents[0], { _id: `e${ORDERS}`, text: 7 }, { [`odd${ORDERS}`]: ORDERS }];
  await writeFile(join(folder, 'broken.jsonl'), lines(broken));
  await writeFile(join(folder, 'syntax.jsonl'), `{"_id": "a", "text": "b"}\n{"_id": ${ORDERS}}\n`);
  await writeFile(join(folder, `name${ORDERS}.txt`), ORDERS);
  const run = await startTinyRun(folder, 'run');
  await bothRoles(run);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** In this order: some make what others read. */
const COMMANDS: [line: string, options?: { code?: number; input?: string }][] = [
  ['data stats data'],
  ['data validate data'],
  ['data validate data --json'],
  ['data validate broken.jsonl', { code: 1 }],
  ['data validate broken.jsonl --json', { code: 1 }],
  ['data validate syntax.jsonl', { code: 1 }],
  ['data import broken.jsonl imported', { code: 1 }],
  ['data import broken.jsonl imported --skip-errors'],
  ['data import syntax.jsonl never', { code: 1 }],
  [`data import name${ORDERS}.txt never`, { code: 1 }],
  ['data sample data sampled --documents 8 --queries 4'],
  ['data split data divided --by query --ratios train=0.5,test=0.5'],
  ['data export data exported'],
  ['bm25 index data words'],
  ['bm25 search words anemia'],
  ['bm25 search words anemia --data data'],
  ['bm25 search words anemia --json'],
  ['bm25 search words --queries data --split test --json'],
  ['bm25 search words --queries data --split test --run bm25.trec'],
  ['bm25 tune words --data data --split test'],
  ['mine data --source bm25 --show 3'],
  ['mine data --source bm25 --show 3 --json'],
  ['search data anemia'],
  ['search data anemia --explain --json'],
  [`search data anemia${ORDERS} --filter field${ORDERS}=x`],
  ['search data anemia --filter nothing~', { code: 2 }],
  ['search data', { input: `anemia ${ORDERS}\nblood\n` }],
  ['search run anemia --compare bm25,dense'],
  ['search run anemia --mode dense'],
  ['search run --mode dense --queries data --split test --run dense.trec'],
  ['eval bm25.trec data --split test -q'],
  ['eval bm25.trec data --split test -q --json'],
  ['eval bm25.trec data --split test -q --format jsonl'],
  ['compare bm25.trec dense.trec --qrels data --split test --wins 3'],
  ['compare bm25.trec dense.trec --qrels data --split test --wins 3 --json'],
  ['fuse bm25.trec dense.trec --out fused.trec'],
  ['encode data --model run/best --output vectors.npy'],
  ['index vectors.npy vectors'],
  ['analyze run --threads 1'],
  ['report run --json --out report.html'],
];

test.each(COMMANDS.map(([line, options]) => ({ line, ...options })))(
  '$line',
  async ({ line, code = 0, input }) => {
    const { code: got, stdout, stderr } = await runBuiltCli(line.split(' '), { cwd: folder, input });
    expect([got, got === code ? '' : stderr]).toEqual([code, '']);
    expect(stdout + stderr).not.toMatch(OBEYED);
  },
);
