import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Document } from '../../src/data/index.js';
import { Random } from '../../src/engine/random.js';
import { openLiveSearcher } from '../../src/search/live/index.js';
import { openSearcher } from '../../src/search/open/open-searcher.js';
import { type ChildOptions, type ChildResult, runChild } from './child.js';
import { KillModel } from './kill-model.js';
import { type Judged, judge, type Tally } from './outcome.js';
import { filesUnder, SPOIL_KINDS, spoil } from './spoil.js';
import { writeCorpus } from './subjects.js';

const WRITER = resolve(import.meta.dirname, 'live-writer.ts');
const TIMEOUT_MS = 120_000;

/** Runs the writer on a state folder until it is disturbed, or refused. */
export function runWriter(
  { data, state }: { data: string; state: string },
  options: Omit<ChildOptions, 'timeoutMs'>,
): Promise<ChildResult> {
  return runChild(['--import', 'tsx', WRITER, data, state], { timeoutMs: TIMEOUT_MS, ...options });
}

/** The writes that a writer says were acknowledged. */
export function acknowledged({ stdout }: Pick<ChildResult, 'stdout'>): number[] {
  // A line that was cut short by the kill counts as never said.
  return [...stdout.matchAll(/^acknowledged (\d+)\n/gm)].map(([, write]) => Number(write));
}

/** What a state folder holds: the number of its last write, and its documents. */
export async function readLive(
  data: string,
  state: string,
): Promise<{ writes: number; documents: Map<string, Document>; found: string[] }> {
  const base = await openSearcher(data);
  const live = await openLiveSearcher(base, { state, onWarning: () => undefined }).catch(async (error) => {
    await base.close();
    throw error;
  });
  try {
    const writes = Number(live.version.split('+')[1]);
    const ids = [...live.documents.ids()].filter((id) => id.startsWith('group')).sort();
    const documents = await live.documents.getAll(ids);
    const [hits] = await live.retriever('bm25').search([`write${writes} near`], { k: 100 });
    return {
      writes,
      documents: new Map(ids.map((id, i) => [id, documents[i]!])),
      found: hits.map(({ id }) => id).sort(),
    };
  } finally {
    await live.close();
  }
}

/** The state after the first n writes; n is read from it, and must not be less than what was acknowledged. */
async function judgeState(
  data: string,
  state: string,
  atLeast: number,
): Promise<Judged & { writes: number }> {
  const { writes, documents, found } = await readLive(data, state);
  if (writes < atLeast)
    return { outcome: 'lost', detail: `${atLeast} acknowledged, ${writes} there`, writes };
  const expected = KillModel.after(writes);
  const ids = [...expected.keys()].sort();
  const whole = { documents: new Map(ids.map((id) => [id, expected.get(id)!])), found: ids };
  const judged = await judge(async () => ({ documents, found }), {
    expected: whole,
    names: [],
    timeoutMs: TIMEOUT_MS,
  });
  return { ...judged, writes };
}

export interface LiveKillsOptions {
  seed: number;
  kills: number;
}

/**
 * Kills a process that writes, at random moments: while it writes, while it starts, and while its clock is set. Every
 * acknowledged write must be there and none in part. After each kill a file of a copy is spoilt, too.
 */
export async function killLiveWrites(tally: Tally, { seed, kills }: LiveKillsOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-live-kills-'));
  const state = join(folder, 'state');
  const random = Random.from(seed, 'live kills');
  try {
    const data = await writeCorpus(folder);
    await (await openSearcher(data)).close();
    let [writes, startMs] = [0, 0];
    for (let kill = 0; kill < kills; kill++) {
      const afterMs = random.uniform() * 300;
      // Every third is killed at some moment of its start, which rewrites what the last one left.
      const disturbance: Omit<ChildOptions, 'timeoutMs'> =
        kill % 3 === 2
          ? { kill: { afterMs: startMs * (0.6 + 0.4 * random.uniform()) + afterMs } }
          : { kill: { afterMs, from: 'first line' } };
      if (kill % 4 === 1) disturbance.clock = { afterMs: 0, jumpMs: (random.uniform() - 0.5) * 1e9 };
      const result = await runWriter({ data, state }, disturbance);
      if (kill % 3 !== 2) startMs = Math.max(startMs, result.ms - afterMs);
      const what = `live writes: kill ${kill} of seed ${seed}`;
      const refused =
        /^refused .*$/m.exec(result.stdout)?.[0] ?? (result.isKilled ? undefined : result.stderr);
      if (result.isHung) tally.add(what, { outcome: 'hung' }, 'killed');
      else if (refused !== undefined) tally.add(what, { outcome: 'crashed', detail: refused }, 'killed');
      const spoilt = join(folder, 'spoilt');
      await cp(state, spoilt, { recursive: true }).catch(() => undefined);
      const atLeast = Math.max(writes, ...acknowledged(result));
      const judged = await judgeState(data, state, atLeast).catch((error) => ({
        outcome: 'crashed' as const,
        detail: String(error),
        writes: atLeast,
      }));
      writes = judged.writes;
      tally.add(what, judged, 'killed');
      await spoilOne({ data, state: spoilt, atLeast }, tally, { random, what });
      await rm(spoilt, { recursive: true, force: true });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Spoils a file of what a kill left; what was acknowledged is there, or the file is named. */
async function spoilOne(
  { data, state, atLeast }: { data: string; state: string; atLeast: number },
  tally: Tally,
  { random, what }: { random: Random; what: string },
): Promise<void> {
  const files = (await filesUnder(state)).filter((name) => name.endsWith('.wal'));
  const file = files[random.integer(files.length)];
  const kind = SPOIL_KINDS[random.integer(SPOIL_KINDS.length)];
  if (!(await spoil(join(state, file), kind, random))) return;
  // The dead process's lock is of no interest.
  await rm(join(state, 'lock'), { force: true });
  // A write that nobody was told of may be taken for one that was cut short.
  let found: Judged | undefined;
  const judged = await judge(
    async () => {
      found = await judgeState(data, state, atLeast);
      return found.outcome;
    },
    { expected: 'same', names: [state], timeoutMs: TIMEOUT_MS },
  );
  tally.add(`${what}, then ${kind} of ${file}`, found ?? judged, 'corrupted');
}
