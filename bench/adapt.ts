// Whether what `nearmiss adapt` says without labels is so: each collection is adapted to, its labels untouched, and start and
// adapted model are then compared on its real queries, and what is handed back as `search` uses it: together with BM25. Collections that are done are kept in --out, one that was interrupted goes on.
// npm run bench:adapt -- DIR… [--out runs/bench-adapt] [--split test] [--model minilm] [--generate runs/generator] [--set PATH=VALUE]…
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { AdaptOutcome } from '../src/adapt/index.js';
import { writeFileAtomic } from '../src/base/files.js';
import { formatTable } from '../src/base/table.js';
import { openDataset } from '../src/data/index.js';
import { evaluate, pairedTTest } from '../src/evaluate/index.js';
import { readRunDescription } from '../src/run/run-description.js';
import { RunDirectory } from '../src/run/run-directory.js';
import { searchRun } from '../src/systems/search-run.js';
import { splitQueries } from '../src/systems/split-queries.js';
import { exitOf } from '../test/kill.fixture.js';
import { watchMemory } from './process-memory.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');
const MEASURE = 'nDCG@10';
/** A difference on real queries with a higher p is level. */
const ALPHA = 0.05;

interface Row {
  collection: string;
  documents: number;
  queries: number;
  verdict: AdaptOutcome['adaptation']['verdict'];
  /** What the verdict was reached on. */
  judgedOn?: { kind: string; start: number; adapted: number; p: number }[];
  /** On real queries: the start, what was learned, and p of the paired t-test. */
  start: number;
  learned?: number;
  p?: number;
  real?: 'better' | 'level' | 'not better';
  agrees?: boolean;
  /** What is handed back: the start unless the verdict is better. */
  handedBack: number;
  /**
   * The same as it is searched by default, untuned with BM25, and p of the paired t-test against the start. Rows of
   * before that was measured have neither.
   */
  searched?: number;
  searchedP?: number;
  minutes: number;
  peakMb: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: 'runs/bench-adapt' },
    split: { type: 'string', default: 'test' },
    model: { type: 'string' },
    generate: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
  },
});
if (positionals.length === 0) throw new Error('expected collections with real queries');

const rows: Row[] = [];
for (const data of positionals) {
  const kept = join(values.out, `${basename(resolve(data))}.json`);
  const row = existsSync(kept) ? (JSON.parse(readFileSync(kept, 'utf8')) as Row) : await measure(data);
  await writeFileAtomic(kept, `${JSON.stringify(row, null, 2)}\n`);
  rows.push(row);
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
process.stderr.write(`${tableText()}\n`);

async function measure(data: string): Promise<Row> {
  const run = join(values.out, basename(resolve(data)));
  const { outcome, minutes, peakMb } = await adapted(data, run);
  const { verdict, judged, prepared } = outcome.adaptation;
  if (!outcome.finished) throw new Error(`${data}: ${prepared?.tooLittle ?? 'was stopped'}`);
  const asked = await splitQueries(await openDataset(data), { split: values.split });
  const directory = new RunDirectory(run);
  const found = await searchRun(directory, await readRunDescription(directory), asked, {
    words: ['hybrid'],
  });
  const perQuery = (of: typeof found.start): Float64Array =>
    evaluate(of, asked.qrels, [MEASURE], { complete: true }).perQuery[MEASURE];
  const start = perQuery(found.start);
  const learned = found.trained && perQuery(found.trained);
  const searched = perQuery(found.served.hybrid);
  const p = learned && pairedTTest(learned, start).p;
  const real = learned && (p! >= ALPHA ? 'level' : mean(learned) > mean(start) ? 'better' : 'not better');
  return {
    collection: basename(resolve(data)),
    documents: prepared?.documents ?? 0,
    queries: asked.queries.length,
    verdict,
    judgedOn: judged?.kinds,
    start: mean(start),
    ...(learned && { learned: mean(learned), p, real, agrees: real === verdict }),
    handedBack: mean(perQuery(found.served.dense)),
    searched: mean(searched),
    searchedP: pairedTTest(searched, start).p,
    minutes,
    peakMb,
  };
}

/** What the command makes of a collection. Time and memory are those of its last start. */
async function adapted(
  data: string,
  run: string,
): Promise<{ outcome: AdaptOutcome; minutes: number; peakMb: number }> {
  mkdirSync(values.out, { recursive: true });
  const settings = values.set.flatMap((setting) => ['--set', setting]);
  const model = values.model === undefined ? [] : ['--model', values.model];
  const generate = values.generate === undefined ? [] : ['--generate', values.generate];
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [CLI, 'adapt', data, '--out', run, '--json', '--quiet', ...model, ...generate, ...settings],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const memory = watchMemory(child.pid!);
  let json = '';
  child.stdout.on('data', (chunk) => {
    json += chunk;
  });
  const code = await exitOf(child);
  const peakMb = memory.stop();
  if (code !== 0) throw new Error(`nearmiss adapt ${data} ended with exit code ${code}`);
  return { outcome: JSON.parse(json), minutes: round((performance.now() - began) / 60_000), peakMb };
}

function tableText(): string {
  const figure = (value: number | undefined): string => (value === undefined ? '–' : value.toFixed(4));
  const header = [
    'collection',
    'queries',
    `${MEASURE} start`,
    'learned',
    'p',
    'real',
    'verdict',
    'agree',
    'searched',
    'p',
    'min',
    'MB',
  ];
  return formatTable({
    header,
    numeric: header.map((_, i) => (i > 0 && i < 5) || i > 7),
    rows: rows.map((row) => [
      row.collection,
      String(row.queries),
      figure(row.start),
      figure(row.learned),
      figure(row.p),
      row.real ?? '–',
      row.verdict,
      row.agrees === undefined ? '–' : row.agrees ? 'yes' : 'NO',
      figure(row.searched),
      figure(row.searchedP),
      row.minutes.toFixed(1),
      String(row.peakMb),
    ]),
  });
}

function mean(numbers: Float64Array): number {
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

function round(value: number): number {
  return Number(value.toFixed(2));
}
