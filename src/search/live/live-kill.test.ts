import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Random } from '../../engine/random.js';
import { openSearcher } from '../open/open-searcher.js';
import { openLiveSearcher } from './index.js';
import { KillModel } from './kill-model.fixture.js';
import { temporaryFolder, writeCollection } from './live.fixture.js';

const KILLS = 24;
const SCRIPT = resolve(import.meta.dirname, 'live-kill.fixture.ts');
const BASE = [{ id: 'base', text: 'a document of the base' }];

interface Watched {
  child: ChildProcess;
  lines: string[];
  /** Resolves with the first line. */
  begun: Promise<unknown>;
  ended: Promise<unknown>;
}

function watch(child: ChildProcess): Watched {
  const lines: string[] = [];
  const reader = createInterface(child.stdout!).on('line', (line) => lines.push(line));
  return {
    child,
    lines,
    begun: Promise.race([once(reader, 'line'), once(reader, 'close')]),
    ended: Promise.all([once(child, 'exit'), once(reader, 'close')]),
  };
}

const acknowledged = (lines: readonly string[]): number[] =>
  lines.flatMap((line) => Number(/^acknowledged (\d+)$/.exec(line)?.[1] ?? []));

/** The state is that after the first n writes, for some n that no acknowledged write is beyond; gives n. */
async function expectWhole(data: string, state: string, atLeast: number): Promise<number> {
  const cuts: string[] = [];
  const live = await openLiveSearcher(await openSearcher(data), {
    state,
    onWarning: (cut) => cuts.push(cut),
  });
  try {
    const writes = Number(live.version.split('+')[1]);
    expect(writes).toBeGreaterThanOrEqual(atLeast);
    const expected = KillModel.after(writes);
    const ids = [...live.documents.ids()].filter((id) => id !== 'base');
    expect(ids.sort()).toEqual([...expected.keys()].sort());
    expect(await live.documents.getAll(ids)).toEqual(ids.map((id) => expected.get(id)));
    const [hits] = await live.retriever('bm25').search([`write${writes} near`], { k: 100 });
    expect(hits.map(({ id }) => id).sort()).toEqual(ids);
    return writes;
  } finally {
    await live.close();
  }
}

test('killed at any moment, every acknowledged write is there and none is there in part', async () => {
  const folder = await temporaryFolder();
  const [data, state] = [join(folder, 'data'), join(folder, 'state')];
  await writeCollection(data, BASE);
  await (await openSearcher(data)).close();
  const random = Random.from(11, 'kills');
  let writes = 0;
  let startMs = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const started = performance.now();
    const node = ['--import', 'tsx', SCRIPT, data, state];
    const { child, lines, begun, ended } = watch(
      spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] }),
    );
    // Every third is killed at some moment of its start, which rewrites what the last one left.
    await (kill % 3 === 2 ? sleep(startMs * (0.6 + 0.4 * random.uniform())) : begun);
    startMs = Math.max(startMs, performance.now() - started);
    await sleep(random.uniform() * 300);
    child.kill('SIGKILL');
    await ended;
    expect(lines.filter((line) => !line.startsWith('acknowledged'))).toEqual([]);
    writes = await expectWhole(data, state, Math.max(writes, ...acknowledged(lines)));
  }
  expect(writes).toBeGreaterThan(KILLS);
}, 900_000);

test('on a disk that is full the writes are refused and the acknowledged ones stay', async () => {
  const folder = await temporaryFolder();
  const [data, state] = [join(folder, 'data'), join(folder, 'state')];
  await writeCollection(data, BASE);
  await (await openSearcher(data)).close();
  // A limit on the size of files fails as a full disk does, in the middle of a write (blocks of 512 or 1024 bytes).
  const command = 'ulimit -f 700 && exec "$0" --import tsx "$@"';
  const { lines, ended } = watch(
    spawn('sh', ['-c', command, process.execPath, SCRIPT, data, state], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  await ended;
  const refused = lines.filter((line) => line.startsWith('refused'));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatch(/log-00000001\.wal: cannot write: EFBIG/);
  const done = new Set(acknowledged(lines));
  expect(done.size).toBeGreaterThan(0);
  const live = await openLiveSearcher(data, { state });
  const expected = KillModel.after(Math.max(...done), (write) => done.has(write));
  const ids = [...live.documents.ids()].filter((id) => id !== 'base');
  expect(ids.sort()).toEqual([...expected.keys()].sort());
  expect(await live.documents.getAll(ids)).toEqual(ids.map((id) => expected.get(id)));
  await live.close();
}, 120_000);
