import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSearcher } from '../../src/search/open/open-searcher.js';
import type { ChildOptions } from './child.js';
import { KillModel } from './kill-model.js';
import { acknowledged, killLiveWrites, readLive, runWriter } from './live-kills.js';
import { Tally } from './outcome.js';
import { onSmallDisk } from './small-disk.js';
import { writeCorpus } from './subjects.js';

const KILLS = 24;

test('killed at any moment, every acknowledged write is there and none is there in part', async () => {
  const tally = new Tally();
  await killLiveWrites(tally, { seed: 11, kills: KILLS });
  expect(tally.broken).toEqual([]);
  expect(tally.killed).toBe(KILLS);
});

/** Writes until it is refused; what was acknowledged is there, and nothing else. */
async function expectRefused(state: string, options: Omit<ChildOptions, 'timeoutMs'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-full-'));
  try {
    const data = await writeCorpus(folder);
    await (await openSearcher(data)).close();
    const result = await runWriter({ data, state }, options);
    const done = new Set(acknowledged(result));
    expect(done.size).toBeGreaterThan(0);
    const { documents } = await readLive(data, state);
    expect(documents).toEqual(
      new Map([...KillModel.after(Math.max(...done), (write) => done.has(write))].sort(byId)),
    );
    return /^refused (.*)$/m.exec(result.stdout)?.[1] ?? 'nothing was refused';
  } finally {
    await rm(folder, { recursive: true });
  }
}

function byId([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

test('where no file may grow any more, writes are refused and the acknowledged ones stay', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-limit-'));
  const refused = await expectRefused(join(folder, 'state'), { fileLimitBytes: 700 * 1024 });
  expect(refused).toMatch(/log-00000001\.wal: cannot write: EFBIG/);
  await rm(folder, { recursive: true });
});

test('on a disk that is full, writes are refused and the acknowledged ones stay', async (context) => {
  const refused = await onSmallDisk(600 * 1024, (disk) => expectRefused(join(disk, 'state'), {}));
  if (refused === undefined) context.skip('a disk of its own cannot be mounted here');
  expect(refused).toMatch(/log-00000001\.wal: cannot write: ENOSPC/);
});
