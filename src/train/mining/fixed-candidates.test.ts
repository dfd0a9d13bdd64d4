import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDataset } from '../../data/index.js';
import { CandidateTable, loadMiningData, mine, type RankedOptions } from '../../negatives/index.js';
import { fixedTableNames } from '../../run/fixed-tables.js';
import { openRun } from '../../run/open-run.js';
import type { RunDescription } from '../../run/run-description.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { TrainingData } from '../../run/training-data.js';
import { eventsOf, startRun, stopAfter } from '../run.fixture.js';
import { writeSynonyms } from '../synonyms.fixture.js';
import { fixedCandidates } from './fixed-candidates.js';
import { bm25Lists, fileLists } from './rankings.js';

const DEFAULTS: RankedOptions = {
  count: 1,
  depth: 20,
  sampling: 'uniform',
  skipRanks: 0,
  dropAnswers: false,
  keepDuplicates: false,
  dropSameSource: false,
};

let folder: string;
let run: RunDirectory;
let data: TrainingData;
let description: RunDescription;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-static-'));
  await writeSynonyms(join(folder, 'data'), { words: 6, seed: 1 });
  // A document with the text of another one, which is a training query's positive.
  const corpus = join(folder, 'data', 'corpus.jsonl');
  const first = JSON.parse((await readFile(corpus, 'utf8')).split('\n')[positiveOf(await judgments(), 0)]);
  await writeFile(corpus, `${JSON.stringify({ ...first, _id: 'copy' })}\n`, { flag: 'a' });
  run = await startRun(folder, 'run');
  ({ data, description } = await openRun(run.path, { quiet: true }));
});
afterAll(async () => {
  await data.close();
  await rm(folder, { recursive: true, force: true });
});

async function judgments(): Promise<[query: string, document: string][]> {
  const lines = (await readFile(join(folder, 'data/qrels/train.tsv'), 'utf8')).trim().split('\n').slice(1);
  return lines.map((line) => line.split('\t') as [string, string]);
}

/** The line of a training query's document: `d2-3` is the 15th of six times six. */
function positiveOf(pairs: [string, string][], place: number): number {
  const [noun, adjective] = pairs[place][1].slice(1).split('-').map(Number);
  return 6 * noun + adjective;
}

/** A TREC run that ranks some documents for every training query. */
async function writeRun(name: string, ...documents: string[]): Promise<string> {
  const file = join(folder, name);
  const lines = (await judgments()).flatMap(([query]) =>
    documents.map((document, i) => `${query} Q0 ${document} ${i + 1} ${documents.length - i} x`),
  );
  await writeFile(file, `${lines.join('\n')}\n`);
  return file;
}

const mined: unknown[] = [];
/** Mined as the sources `bm25` and `static` have it done. */
function candidates({
  source,
  ...given
}: Partial<RankedOptions> & { source: 'bm25' | 'static'; file?: string }): Promise<CandidateTable> {
  const options = { ...DEFAULTS, ...given };
  const lists = () =>
    source === 'bm25' ? bm25Lists(run, data, options.depth) : fileLists(given.file!, data, description);
  const rankings = { source, options, index: given.file, what: `${source} negatives`, lists };
  return fixedCandidates(run, data, rankings, async (event) => {
    mined.push(event);
  });
}
const idsOf = (table: CandidateTable): Set<string> =>
  new Set(
    Array.from(
      table.ids.filter((id) => id >= 0),
      (id) => data.documents.cache.id(id),
    ),
  );

describe('each way of mining has a table of its own', () => {
  test('two files', async () => {
    const [one, other] = [
      await writeRun('one.trec', 'd0-0', 'd0-1'),
      await writeRun('two.trec', 'd3-3', 'd3-4'),
    ];
    const tables = [
      await candidates({ source: 'static', file: one }),
      await candidates({ source: 'static', file: other }),
      await candidates({ source: 'static', file: one }),
    ];
    expect(tables.map(idsOf)).toEqual([
      new Set(['d0-0', 'd0-1']),
      new Set(['d3-3', 'd3-4']),
      new Set(['d0-0', 'd0-1']),
    ]);
    expect((await fixedTableNames(run)).filter((name) => /^static-[0-9a-f]{8}$/.test(name))).toHaveLength(2);
  });

  test('two depths; what is drawn does not count', async () => {
    const shallow = await candidates({ source: 'bm25', depth: 2 });
    const deep = await candidates({ source: 'bm25', depth: 6, skipRanks: 2, count: 1 });
    await candidates({ source: 'bm25', depth: 6, skipRanks: 2, count: 3, sampling: 'weighted' });
    expect([shallow.depth, deep.depth]).toEqual([2, 6]);
    expect(Math.min(...deep.ranks.filter((rank) => rank > 0))).toBe(3);
    expect((await fixedTableNames(run)).filter((name) => name.startsWith('bm25-'))).toHaveLength(2);
  });
});

test('a table says what mining did, in its event and its manifest', async () => {
  const file = await writeRun('report.trec', 'd1-1', 'd1-2', 'd1-3');
  mined.length = 0;
  const { provenance } = await candidates({ source: 'static', file, skipRanks: 2 });
  const queries = data.training.length;
  expect(mined).toEqual([
    {
      type: 'mined',
      source: 'static',
      table: expect.stringMatching(/^static-/),
      mining: {
        ranked: 3 * queries,
        kept: provenance.report.kept,
        removed: provenance.report.removed,
        trainingQueries: queries,
        withoutCandidates: provenance.report.empty,
      },
    },
  ]);
  expect(provenance).toMatchObject({ index: file, dataFingerprint: data.tables.dataFingerprint });
});

test('rules that leave no query a candidate are an error, not a loss of 0', async () => {
  await expect(candidates({ source: 'bm25', margin: 1000 })).rejects.toMatchObject({
    message: expect.stringMatching(
      /^bm25 negatives: none of the \d+ training queries has a candidate: of \d+ documents ranked, the rule margin removed most: \d+$/,
    ),
    hint: expect.stringContaining('ease that rule'),
  });
});

test('a document with the text of a positive is no negative, unless it is to be', async () => {
  const [[query, positive]] = await judgments();
  const place = data.training.findIndex((one) => data.queries.cache.id(one.query) === query);
  const file = await writeRun('copies.trec', 'copy', positive, 'd5-5');
  const first = async (keepDuplicates: boolean): Promise<string[]> => {
    const { ids } = (await candidates({ source: 'static', file, keepDuplicates })).row(place);
    return Array.from(ids, (id) => data.documents.cache.id(id)).filter((id) => id !== 'd5-5');
  };
  expect(await first(false)).toEqual([]);
  expect(await first(true)).toEqual(['copy']);
});

test('answers are dropped only where queries have them', async () => {
  const message = /field "metadata.answers": expected an array of texts, got nothing/;
  await expect(candidates({ source: 'bm25', dropAnswers: true })).rejects.toThrow(message);
  const set = ['stages.warmup.negatives=[{source: bm25, depth: 9, dropAnswers: true}]'];
  await expect(startRun(folder, 'no answers', { set })).rejects.toThrow(message);
});

describe('the folder of a candidate table', () => {
  /** What `nearmiss mine --out` writes. */
  async function writeTable(
    name: string,
    options: { documents?: number[]; data?: string } = {},
  ): Promise<string> {
    const mining = await loadMiningData(await openDataset(options.data ?? join(folder, 'data')), {
      split: 'train',
    });
    const { table } = await mine({
      source: 'bm25',
      queryCount: mining.queries.length,
      documentCount: mining.documents.size,
      dataFingerprint: mining.dataFingerprint,
      depth: 8,
      lists: mining.queries.map((_, query) => ({
        query,
        ids: Int32Array.of(...(options.documents ?? [3, 4, 5, 6, 7, 8])),
        scores: Float32Array.of(6, 5, 4, 3, 2, 1),
      })),
      positives: mining.positives.of,
      rules: [{ name: 'second', parameters: {}, judge: () => (place) => place === 1 }],
    });
    const path = join(folder, name);
    await table.save(path);
    return path;
  }

  test('is taken with its ranks, to the depth and without the ranks that the recipe says', async () => {
    const file = await writeTable('table');
    const table = await candidates({ source: 'static', file, depth: 5, skipRanks: 1 });
    const place = data.training.findIndex(({ positives }) => positives[0] > 8);
    expect(Array.from(table.row(place).ids)).toEqual([5, 6, 7]);
    expect(Array.from(table.row(place).ranks)).toEqual([3, 4, 5]);
  });

  test('mined on another collection is refused', async () => {
    const other = join(folder, 'other');
    await writeSynonyms(other, { words: 6, seed: 1 });
    const file = await writeTable('other table', { data: other });
    await expect(candidates({ source: 'static', file })).rejects.toThrow(
      `field "dataFingerprint": expected ${data.tables.dataFingerprint}`,
    );
  });

  test('has no positives for a margin to compare with, which is told before the run begins', async () => {
    const file = await writeTable('for margins');
    const set = [`stages.ance.negatives=[{source: static, file: ${JSON.stringify(file)}, margin: 1}]`];
    await expect(startRun(folder, 'margin', { set })).rejects.toThrow(
      'a candidate table has no positives any more for margin to compare with',
    );
  });
});

test('a file that is not there is told before the run begins', async () => {
  const set = ['stages.ance.negatives=[{source: static, file: nowhere.trec}]'];
  await expect(startRun(folder, 'nowhere', { set })).rejects.toThrow(
    'nowhere.trec: no such file or folder of static negatives',
  );
});

test('two stages of one run mine for themselves', async () => {
  const stage = (name: string, negatives: string): string =>
    `{name: ${name}, steps: 2, negatives: [${negatives}], loss: {name: nll}}`;
  const [first, second] = ['{source: bm25, depth: 3}', '{source: bm25, depth: 6, skipRanks: 2}'];
  const set = [`stages=[${stage('first', first)}, ${stage('second', second)}]`, 'checkpoint.every=2'];
  const staged = await startRun(folder, 'two stages', { set });
  await stopAfter(staged, 3);
  const events = (await eventsOf(staged, 'trainer')).filter((event) => event.type === 'mined');
  expect(events.map(({ step }) => step)).toEqual([0, 2]);
  const depths = events.map(
    async ({ table }) => (await CandidateTable.load(staged.file('negatives', table))).depth,
  );
  expect(await Promise.all(depths)).toEqual([3, 6]);
});
