import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { Random } from '../../src/engine/random.js';
import { Bm25Searcher, openBm25Index } from '../../src/index/bm25/index.js';
import { openDocumentIndex } from '../../src/index/vectors/open.js';
import { type ChildOptions, type ChildResult, judgeCommand, runChild } from './child.js';
import { type Judged, judge, type Tally } from './outcome.js';
import { filesUnder } from './spoil.js';
import { writeCorpus } from './subjects.js';

const CLI = resolve(import.meta.dirname, '../../dist/cli/main.js');
const TIMEOUT_MS = 180_000;
const DIMENSION = 8;
const ROWS = 4000;

/** A command that makes a folder out of a file. */
export interface CommandSubject {
  name: string;
  /** Writes what the command reads, and gives its path. */
  prepare(folder: string): Promise<string>;
  args(source: string, out: string): string[];
  /** What the folder that it has made gives. */
  read(out: string): Promise<unknown>;
}

export const COMMANDS: readonly CommandSubject[] = [
  {
    name: 'bm25 index',
    prepare: writeCorpus,
    args: (source, out) => ['bm25', 'index', source, out],
    async read(out) {
      const index = await openBm25Index(out);
      const { ids, scores } = new Bm25Searcher(index).search('pear fig', 12);
      return { ids: [...ids].map((id) => index.documentId(id)), scores: [...scores] };
    },
  },
  {
    name: 'index',
    async prepare(folder) {
      const random = Random.from(5, 'vectors');
      const rows = Float32Array.from({ length: ROWS * DIMENSION }, () => random.normal());
      const path = join(folder, 'vectors.f32');
      await writeFile(path, new Uint8Array(rows.buffer));
      return path;
    },
    args: (source, out) => ['index', source, out, '--dimension', String(DIMENSION), '--quiet'],
    async read(out) {
      const index = await openDocumentIndex(out, { threads: 1 });
      try {
        const { ids, scores } = await index.search(new Float32Array(DIMENSION).fill(1), { k: 9 });
        return { ids: [...ids], scores: [...scores] };
      } finally {
        await index.close();
      }
    },
  },
  {
    name: 'data import',
    prepare: writeCorpus,
    args: (source, out) => ['data', 'import', source, out],
    read: (out) => contentOf(out),
  },
];

/** Every file that a folder holds, besides descriptions that name the moment they were written. */
async function contentOf(out: string): Promise<Record<string, string>> {
  const names = (await filesUnder(out)).filter((name) => name.endsWith('.jsonl') || name.endsWith('.tsv'));
  const entries = names.map(async (name) => [name, await readFile(join(out, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(entries));
}

export interface DisturbOptions {
  seed: number;
  /** How often each command is killed, and as often meets a full disk and a clock that is set. */
  rounds: number;
}

/**
 * Disturbs each command: kills it at a random moment, lets no file grow beyond some size, sets its clock. What it leaves
 * must be nothing, or what an undisturbed one makes; and repeated undisturbed, it makes that and leaves no scraps.
 */
export async function disturbCommands(
  subject: CommandSubject,
  tally: Tally,
  options: DisturbOptions,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-commands-'));
  const random = Random.from(options.seed, 'commands', subject.name);
  try {
    const source = await subject.prepare(folder);
    const calm = join(folder, 'calm');
    const first = await run(subject, { source, out: calm });
    if (first.code !== 0) throw new Error(`${subject.name} fails undisturbed: ${first.stderr}`);
    const expected = await subject.read(calm);
    const largest = await largestFile(calm);
    for (let round = 0; round < options.rounds; round++) {
      const disturbances: [string, Omit<ChildOptions, 'timeoutMs'>][] = [
        ['kill', { kill: { afterMs: first.ms * (0.4 + 0.6 * random.uniform()) } }],
        ['full disk', { fileLimitBytes: 1024 * Math.floor((random.uniform() * largest) / 1024) }],
        ['clock', { clock: { afterMs: random.integer(500), jumpMs: (random.uniform() - 0.5) * 1e11 } }],
      ];
      for (const [kind, disturbance] of disturbances) {
        const out = join(folder, `${kind.replace(' ', '-')}-${round}`);
        const judged = await attempt(subject, { source, out, expected, disturbance });
        const what = `${subject.name}: ${kind} ${round} of seed ${options.seed}`;
        tally.add(what, judged, kind === 'kill' ? 'killed' : undefined);
        await rm(out, { recursive: true, force: true });
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Attempt {
  source: string;
  out: string;
  expected: unknown;
  disturbance: Omit<ChildOptions, 'timeoutMs'>;
}

async function attempt(
  subject: CommandSubject,
  { source, out, expected, disturbance }: Attempt,
): Promise<Judged> {
  const result = await run(subject, { source, out }, disturbance);
  if (!result.isKilled) {
    // What it prints may hold how long it took: what counts is the folder.
    const names = [out, join(dirname(out), `.partial-${basename(out)}`)];
    const judged = judgeCommand(result, { expected: result.stdout, names });
    if (judged.outcome !== 'same' && judged.outcome !== 'named') return judged;
  }
  const isThere = (await stat(out).catch(() => undefined)) !== undefined;
  if (isThere) {
    const left = await judge(() => subject.read(out), { expected, names: [], timeoutMs: TIMEOUT_MS });
    if (left.outcome !== 'same') return left;
  } else {
    const again = await run(subject, { source, out });
    if (again.code !== 0) return { outcome: 'crashed', detail: `repeated: ${again.stderr.slice(-500)}` };
  }
  const scraps = (await filesUnder(join(out, '..'))).filter((name) => name.includes('.partial-'));
  if (!isThere && scraps.length > 0) return { outcome: 'lost', detail: `left behind: ${scraps.join(', ')}` };
  return judge(() => subject.read(out), { expected, names: [], timeoutMs: TIMEOUT_MS });
}

function run(
  subject: CommandSubject,
  { source, out }: { source: string; out: string },
  disturbance: Omit<ChildOptions, 'timeoutMs'> = {},
): Promise<ChildResult> {
  return runChild([CLI, ...subject.args(source, out)], { timeoutMs: TIMEOUT_MS, ...disturbance });
}

async function largestFile(folder: string): Promise<number> {
  const names = await filesUnder(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return Math.max(...sizes);
}
