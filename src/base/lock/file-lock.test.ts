import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type HeldLock, holdFileLock, lockHolder, withFileLock } from './file-lock.js';
import { ELSEWHERE } from './foreign-lock.fixture.js';
import { type LockHolder, SILENT_MS, thisProcess } from './lock-holder.js';

const SCRIPT = resolve(import.meta.dirname, 'file-lock.fixture.ts');

afterEach(() => {
  vi.useRealTimers();
});

async function lockPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-lock-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'deep', 'lock');
}

/** Puts a lock there as if another process had taken it; gives the time of its last sign of life. */
async function leave(path: string, holder: LockHolder | number | string, silentMs = 0): Promise<number> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof holder === 'string' ? holder : JSON.stringify(holder));
  return setBeat(path, silentMs);
}

/** Makes the last sign of life so old; gives its time. */
async function setBeat(path: string, silentMs: number): Promise<number> {
  const beatAt = Date.now() - silentMs;
  await utimes(path, new Date(beatAt), new Date(beatAt));
  return beatAt;
}

/** A process of this machine that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

function ofThisMachine(changes: Partial<LockHolder>): LockHolder {
  return { ...thisProcess('another'), ...changes };
}

async function take(path: string, waits: string[] = []): Promise<HeldLock> {
  const lock = await holdFileLock(path, { onWait: (message) => waits.push(message) });
  if ('heldBy' in lock) throw new Error(`held by ${JSON.stringify(lock.heldBy)}`);
  return lock;
}

/** Between a file's time that a test sets and the first look at it this machine may take so long. */
const SLACK_MS = 5_000;

/** Takes a lock that is still waited for before `ms` have passed for the observer, and free just after. */
async function takeAfter(path: string, ms: number): Promise<HeldLock> {
  vi.useFakeTimers({ toFake: ['performance'] });
  const waits: string[] = [];
  let isTaken = false;
  const taking = take(path, waits).finally(() => {
    isTaken = true;
  });
  await expect.poll(() => waits).toHaveLength(1);
  vi.advanceTimersByTime(ms - SLACK_MS);
  await sleep(250);
  expect(isTaken).toBe(false);
  vi.advanceTimersByTime(SLACK_MS + 1);
  return taking;
}

/** In this time a holder that lives shows it. */
const PROOF_MS = 7_500;

test('only one holder at a time, and all get their turn', async () => {
  const path = await lockPath();
  let inside = 0;
  let most = 0;
  const work = async (result: number): Promise<number> =>
    withFileLock(path, async () => {
      inside++;
      most = Math.max(most, inside);
      await sleep(20);
      inside--;
      return result;
    });
  expect(await Promise.all([work(1), work(2), work(3)])).toEqual([1, 2, 3]);
  expect(most).toBe(1);
  expect(existsSync(path)).toBe(false);
});

test('who has to wait is told for whom, once', async () => {
  const path = await lockPath();
  const lock = await take(path);
  const told: string[] = [];
  const work = withFileLock(path, async () => 'done', { onWait: (message) => told.push(message) });
  await expect.poll(() => told).toHaveLength(1);
  // It looks several times.
  await sleep(400);
  await lock.release();
  expect(await work).toBe('done');
  expect(told).toEqual([`${path}: process ${process.pid} is at work there; waiting for it to end`]);
});

test('is released when the work fails', async () => {
  const path = await lockPath();
  await expect(withFileLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withFileLock(path, async () => 'free')).toBe('free');
});

test('names its holder, and leaves nothing but itself', async () => {
  const path = await lockPath();
  const lock = await take(path);
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
    pid: process.pid,
    token: expect.any(String),
  });
  expect(await lockHolder(path)).toMatchObject({ pid: process.pid });
  expect(await readdir(dirname(path))).toEqual(['lock']);
  expect(await holdFileLock(path)).toMatchObject({ heldBy: { pid: process.pid } });
  await lock.release();
  expect(await readdir(dirname(path))).toEqual([]);
  expect(await lockHolder(path)).toBeUndefined();
});

describe('a lock of this machine', () => {
  test('is taken over from a process that died', async () => {
    const path = await lockPath();
    await leave(path, ofThisMachine({ pid: deadPid() }));
    expect(await lockHolder(path)).toBeUndefined();
    expect(await withFileLock(path, async () => 'taken over')).toBe('taken over');
    expect(await readdir(dirname(path))).toEqual([]);
  });

  test.runIf(process.platform === 'linux')(
    'is taken over where its number is another process now',
    async () => {
      const path = await lockPath();
      await leave(path, ofThisMachine({ started: '1' }));
      await (await take(path)).release();
    },
  );

  test.runIf(process.platform === 'linux')(
    'is taken over from a dead process that nobody reaped',
    async () => {
      const path = await lockPath();
      // The shell becomes a program that never asks for the end of its child.
      const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600']);
      onTestFinished(() => void parent.kill('SIGKILL'));
      const pid = Number(await once(parent.stdout, 'data'));
      await expect.poll(() => readFile(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
      process.kill(pid, 'SIGKILL');
      const statOfChild = (): Promise<string> => readFile(`/proc/${pid}/stat`, 'utf8');
      await expect.poll(statOfChild).toContain(') Z ');
      await leave(path, ofThisMachine({ pid, started: (await statOfChild()).split(' ')[21] }));
      await (await take(path)).release();
    },
  );

  test.runIf(process.platform === 'linux')(
    'is never taken from a living process, however silent',
    async () => {
      const path = await lockPath();
      await leave(path, ofThisMachine({ token: 'another lock of ours' }), 100 * SILENT_MS);
      expect(await holdFileLock(path)).toMatchObject({ heldBy: { pid: process.pid } });
    },
  );

  test('is waited for as long as asked', async () => {
    const path = await lockPath();
    const lock = await take(path);
    setTimeout(() => void lock.release(), 300);
    const next = await holdFileLock(path, { waitMs: 30_000 });
    expect(next).not.toHaveProperty('heldBy');
  });
});

describe('a lock of another machine or container', () => {
  const places: [string, Partial<LockHolder>][] = [
    ['another machine', { host: 'elsewhere' }],
    ['another container of this name', { pidNamespace: 'pid:[1]' }],
    ['another boot, or a machine of the same name', { boot: 'another' }],
  ];

  test.each(places)(
    '%s: refused on a sign of life, though no process here has its number',
    async (_, place) => {
      const path = await lockPath();
      const holder = ofThisMachine({ pid: deadPid(), ...place });
      await leave(path, holder, 20_000);
      const waits: string[] = [];
      const held = holdFileLock(path, { onWait: (message) => waits.push(message) });
      await expect.poll(() => waits).toHaveLength(1);
      await setBeat(path, 0);
      expect(await held).toEqual({ heldBy: holder });
      expect(await lockHolder(path)).toEqual(holder);
      expect(waits[0]).toContain('waiting for a sign of life, at most 60 s');
    },
  );

  test.each(places)('%s: taken over after a minute of silence', async (_, place) => {
    const path = await lockPath();
    // A living process of the same number is not it.
    await leave(path, ofThisMachine(place), 20_000);
    await (await takeAfter(path, SILENT_MS - 20_000)).release();
    expect(await readdir(dirname(path))).toEqual([]);
  });

  test('of the future, because the clock was set back: taken over after a minute that nobody gave a sign', async () => {
    const path = await lockPath();
    await leave(path, ELSEWHERE, -3_600_000);
    await (await takeAfter(path, SILENT_MS)).release();
  });

  test('of the past, because the clock was set forward: a holder that lives has the time to show it', async () => {
    const path = await lockPath();
    await leave(path, ELSEWHERE, 3_600_000);
    vi.useFakeTimers({ toFake: ['performance'] });
    const waits: string[] = [];
    const held = holdFileLock(path, { onWait: (message) => waits.push(message) });
    await expect.poll(() => waits).toHaveLength(1);
    vi.advanceTimersByTime(PROOF_MS - 500);
    await setBeat(path, 0);
    expect(await held).toEqual({ heldBy: ELSEWHERE });
  });

  test('that was silent for long is shown as nobody at once', async () => {
    const path = await lockPath();
    await leave(path, ELSEWHERE, 3_600_000);
    expect(await lockHolder(path)).toBeUndefined();
  });

  test('that was silent for long is taken over when nothing stirs', async () => {
    const path = await lockPath();
    await leave(path, ELSEWHERE, 3_600_000);
    await (await takeAfter(path, PROOF_MS)).release();
  });
});

describe('a lock without all of that', () => {
  test('a number alone, by an older version: held while there is such a process', async () => {
    const path = await lockPath();
    await leave(path, process.pid, 100 * SILENT_MS);
    expect(await holdFileLock(path)).toEqual({ heldBy: { pid: process.pid } });
  });

  test.each([
    ['a number alone, of no process here', () => deadPid()],
    ['emptied by a power cut', () => ''],
    ['not ours', () => '{"pid":"seven"}'],
  ])('%s: taken over after a minute of silence', async (_, content) => {
    const path = await lockPath();
    await leave(path, content(), 20_000);
    await (await takeAfter(path, SILENT_MS - 20_000)).release();
  });
});

describe('while it is held', () => {
  const silence = (path: string) => async (): Promise<number> => Date.now() - (await stat(path)).mtimeMs;

  /** Lets a beat begin. */
  async function nextBeat(): Promise<void> {
    await vi.advanceTimersByTimeAsync(5_000);
  }

  test('gives signs of life, until it is released', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const path = await lockPath();
    const lock = await take(path);
    const before = await readFile(path, 'utf8');
    await setBeat(path, SILENT_MS);
    await nextBeat();
    await expect.poll(silence(path)).toBeLessThan(SILENT_MS / 2);
    expect(await readFile(path, 'utf8')).toBe(before);
    await lock.release();
    expect(vi.getTimerCount()).toBe(0);
    expect(lock.lost.aborted).toBe(false);
  });

  test('says that it was lost, and does not touch the lock of the next holder', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const path = await lockPath();
    const lock = await take(path);
    await rm(path);
    await leave(path, ELSEWHERE, 30_000);
    const { mtimeMs } = await stat(path);
    await nextBeat();
    await expect.poll(() => lock.lost.aborted).toBe(true);
    expect(() => lock.lost.throwIfAborted()).toThrow(`${path}: this process has lost its lock`);
    await lock.release();
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(ELSEWHERE);
    expect((await stat(path)).mtimeMs).toBe(mtimeMs);
  });

  test('a lock that is missing for a moment is not lost; one that stays away is', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const path = await lockPath();
    const lock = await take(path);
    const content = await readFile(path, 'utf8');
    await rm(path);
    await nextBeat();
    await sleep(50);
    // Whole at once: a beat that comes now must not take half a lock for another's.
    await writeFile(`${path}.back`, content);
    await rename(`${path}.back`, path);
    await setBeat(path, SILENT_MS);
    await nextBeat();
    await expect.poll(silence(path)).toBeLessThan(SILENT_MS / 2);
    expect(lock.lost.aborted).toBe(false);
    await rm(path);
    await nextBeat();
    await nextBeat();
    await expect.poll(() => lock.lost.aborted).toBe(true);
  });

  test('does not keep the process alive', () => {
    const script = `import { holdFileLock } from './file-lock.ts'; await holdFileLock(process.argv[1]);`;
    const path = join(tmpdir(), `nearmiss-lock-${process.pid}`);
    onTestFinished(() => rm(path, { force: true }));
    const args = ['--import', 'tsx', '--input-type=module', '-e', script, path];
    const { status } = spawnSync(process.execPath, args, { cwd: import.meta.dirname, timeout: 120_000 });
    expect(status).toBe(0);
  });
});

describe('many that find the same dead lock', () => {
  const dead = ofThisMachine({ pid: deadPid() });

  test('in one process: one gets it, every time', async () => {
    for (let round = 0; round < 15; round++) {
      const path = await lockPath();
      await leave(path, dead);
      const takers = await Promise.all(Array.from({ length: 12 }, () => holdFileLock(path)));
      expect(takers.filter((taker) => !('heldBy' in taker))).toHaveLength(1);
      expect(await readdir(dirname(path))).toEqual(['lock']);
    }
  });

  test('one of them died while it was taking over', async () => {
    const path = await lockPath();
    await leave(path, dead);
    await leave(`${path}.takeover.lock`, dead);
    const takers = await Promise.all(Array.from({ length: 12 }, () => holdFileLock(path)));
    expect(takers.filter((taker) => !('heldBy' in taker))).toHaveLength(1);
    expect(await readdir(dirname(path))).toEqual(['lock']);
  });

  test('in several processes: one gets it, every time', async () => {
    const folder = dirname(await lockPath());
    const names = Array.from({ length: 40 }, (_, number) => `lock-${number}`);
    for (const name of names) await leave(join(folder, name), dead);
    const children = Array.from({ length: 4 }, () => startTaker(folder, names));
    await Promise.all(children.map((child) => once(child, 'message')));
    for (const child of children) child.send('go');
    const taken = await Promise.all(children.map(async (child) => (await once(child, 'message'))[0]));
    expect(taken.flat().sort()).toEqual([...names].sort());
  });
});

/** A process that says when it is ready, and after `go` which of the locks it got. It keeps them until it is killed. */
function startTaker(folder: string, names: string[]): ChildProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', SCRIPT, folder, ...names], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
