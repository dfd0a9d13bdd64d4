import { copyFile, open, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  append,
  FILE_HEADER,
  FRAME_HEADER,
  framesOf,
  interruptedLogOf,
  logOf,
  openLog,
  readBack,
  temporaryFolder,
} from './log.fixture.js';
import type { LogHandle } from './log-writer.js';

/** A real file whose disk is full after some bytes, or whose fsync fails. */
function failingFile(limits: { bytes?: number; sync?: boolean; truncate?: boolean }): {
  limits: typeof limits;
  openFile: (path: string) => Promise<LogHandle>;
} {
  return {
    limits,
    async openFile(path) {
      const handle = await open(path, 'r+');
      const fail = (code: string): never => {
        throw Object.assign(new Error(`${code}: injected`), { code });
      };
      return {
        close: () => handle.close(),
        stat: () => handle.stat(),
        datasync: () => (limits.sync ? Promise.reject(new Error('EIO: injected')) : handle.datasync()),
        truncate: (length) => (limits.truncate ? fail('EIO') : handle.truncate(length)),
        write: async (...args: unknown[]) => {
          const [bytes, from, length, position] = args as [Buffer, number, number, number];
          const room = Math.min(length, (limits.bytes ?? Number.POSITIVE_INFINITY) - position);
          if (room <= 0) fail('ENOSPC');
          return handle.write(bytes, from, room, position);
        },
      } as LogHandle;
    },
  };
}

test('records come back in order, and those that wait share a frame', async () => {
  const folder = await temporaryFolder();
  const { log, records } = await openLog(folder);
  expect(records).toEqual([]);
  const order: string[] = [];
  await Promise.all(['a', 'b', 'c'].map((each) => log.append(Buffer.from(each), () => order.push(each))));
  expect(order).toEqual(['a', 'b', 'c']);
  expect(log.bytes).toBe(FILE_HEADER + FRAME_HEADER + 3 * (4 + 1));
  await append(log, '');
  await log.close();
  expect(await readBack(folder)).toEqual({ records: ['a', 'b', 'c', ''], cuts: [] });
});

test('whoever appends the moment a record is acknowledged is not forgotten', async () => {
  const folder = await temporaryFolder();
  const { log } = await openLog(folder);
  for (let i = 0; i < 30; i++) await log.append(Buffer.from(`${i}`), () => i);
  await log.close();
  expect((await readBack(folder)).records).toHaveLength(30);
});

test('a tail that is cut at any byte is taken off, and everything before it stays', async () => {
  const folder = await temporaryFolder();
  const before = await logOf(folder, 'first', 'second');
  const start = (await readFile(before)).length;
  const path = await interruptedLogOf(folder, 'the last record');
  const whole = await readFile(path);
  const mark = await readFile(join(folder, 'mark.json'));
  for (let size = start; size < whole.length; size++) {
    await writeFile(path, whole.subarray(0, size));
    await writeFile(join(folder, 'mark.json'), mark);
    const { log, records, cuts } = await openLog(folder);
    expect(records).toEqual(['first', 'second']);
    expect(cuts).toEqual(
      size === start
        ? []
        : [`${path}: byte ${start}: cut off ${size - start} bytes of a write that was never acknowledged`],
    );
    await append(log, 'next');
    await log.close();
    expect(await readBack(folder)).toEqual({ records: ['first', 'second', 'next'], cuts: [] });
  }
});

test('bytes that never arrived after a power cut are a torn tail, too', async () => {
  const folder = await temporaryFolder();
  const path = await logOf(folder, 'first');
  const whole = await readFile(path);
  await writeFile(path, Buffer.concat([whole, Buffer.alloc(100_000)]));
  expect((await readBack(folder)).records).toEqual(['first']);
  // The frame's last sector did not arrive; then not even the rest of its header.
  const start = framesOf('first')[1];
  await interruptedLogOf(folder, 'x'.repeat(1000));
  const mark = await readFile(join(folder, 'mark.json'));
  const killed = await readFile(path);
  for (const from of [512, 1024, start, start + 1]) {
    await writeFile(path, Buffer.from(killed).fill(0, from));
    await writeFile(join(folder, 'mark.json'), mark);
    const { records } = await readBack(folder).catch((error) => ({ records: error.message }));
    expect(records).toEqual(from === start + 1 ? expect.stringContaining('header of frame 1') : ['first']);
    await writeFile(path, killed);
  }
});

test('every damaged byte is an error that names file and offset, whether the last record was acknowledged or not', async () => {
  const folder = await temporaryFolder();
  await logOf(folder, 'first', 'second');
  const unaware = await readFile(join(folder, 'mark.json'));
  const path = await logOf(folder, 'third');
  const whole = await readFile(path);
  const frames = framesOf('first', 'second', 'third');
  expect(whole).toHaveLength(frames[3]);
  for (const mark of [unaware, await readFile(join(folder, 'mark.json'))]) {
    for (let at = 0; at < whole.length; at++) {
      const damaged = Buffer.from(whole);
      damaged[at] ^= 0x41;
      await writeFile(path, damaged);
      await writeFile(join(folder, 'mark.json'), mark);
      const start =
        at < FILE_HEADER ? '(expected|byte 0)' : `byte ${frames.findLast((each) => each <= at)}: `;
      await expect(readBack(folder)).rejects.toThrow(new RegExp(`log-00000001\\.wal: ${start}`));
      expect(await readFile(path)).toEqual(damaged);
    }
  }
});

test('a full disk rejects the write and leaves a log that can be read and written on', async () => {
  const folder = await temporaryFolder();
  const { limits, openFile } = failingFile({ bytes: framesOf('fine', 'small')[2] });
  const { log } = await openLog(folder, { openFile });
  await append(log, 'fine');
  await expect(append(log, 'does not fit')).rejects.toMatchObject({
    message: expect.stringMatching(/log-00000001\.wal: cannot write: ENOSPC/),
    hint: expect.stringContaining('free some space'),
  });
  expect((await readFile(join(folder, 'log-00000001.wal'))).length).toBe(framesOf('fine')[1]);
  await append(log, 'small');
  limits.bytes = undefined;
  await append(log, 'does fit now');
  await log.close();
  expect(await readBack(folder)).toEqual({ records: ['fine', 'small', 'does fit now'], cuts: [] });
});

test('where not even the half-written part can be cut off, later writes are refused', async () => {
  const folder = await temporaryFolder();
  const { openFile } = failingFile({ bytes: framesOf('fine')[1] + 10, truncate: true });
  const { log } = await openLog(folder, { openFile });
  await append(log, 'fine');
  await expect(append(log, 'does not fit')).rejects.toThrow('ENOSPC');
  await expect(append(log, 'x')).rejects.toThrow('ENOSPC');
  await log.close();
  const { records, cuts } = await readBack(folder);
  expect(records).toEqual(['fine']);
  expect(cuts).toHaveLength(1);
});

test('after a failed fsync nothing is acknowledged any more', async () => {
  const folder = await temporaryFolder();
  const { limits, openFile } = failingFile({});
  const { log } = await openLog(folder, { openFile });
  await append(log, 'fine');
  limits.sync = true;
  await expect(append(log, 'lost')).rejects.toThrow('EIO');
  limits.sync = false;
  await expect(append(log, 'later')).rejects.toMatchObject({ hint: expect.stringContaining('anew') });
  await log.close();
  expect((await readBack(folder)).records).toEqual(['fine']);
});

test('compaction replaces what was before and keeps what comes meanwhile', async () => {
  const folder = await temporaryFolder();
  const { log } = await openLog(folder);
  let applied = 0;
  const write = (record: string): Promise<number> => log.append(Buffer.from(record), () => ++applied);
  const early = ['1', '2', '3'].map(write);
  let captured = -1;
  const compaction = log.compact(() => {
    captured = applied;
    return [Buffer.from(`up to ${applied}`)];
  });
  await Promise.all([...early, compaction, ...['4', '5'].map(write)]);
  await log.close();
  const expected = ['1', '2', '3', '4', '5'].slice(captured);
  expect((await readBack(folder)).records).toEqual([`up to ${captured}`, ...expected]);
  expect((await readdir(folder)).sort()).toEqual(['log-00000002.wal', 'mark.json', 'snapshot-00000002.wal']);
});

test('a crash at any moment of a compaction loses nothing', async () => {
  const source = await temporaryFolder();
  const { log } = await openLog(source);
  await append(log, 'a', 'b');
  const before = await readFile(join(source, 'log-00000001.wal'));
  await log.compact(() => [Buffer.from('ab')]);
  await append(log, 'c');
  await log.close();

  const folder = await temporaryFolder();
  // The next log is there, the snapshot is not.
  await writeFile(join(folder, 'log-00000001.wal'), before);
  await copyFile(join(source, 'log-00000002.wal'), join(folder, 'log-00000002.wal'));
  await writeFile(join(folder, '.partial-snapshot-00000002.wal-12345678'), 'half');
  expect((await readBack(folder)).records).toEqual(['a', 'b', 'c']);
  // The snapshot is there, the old log is still.
  await copyFile(join(source, 'snapshot-00000002.wal'), join(folder, 'snapshot-00000002.wal'));
  expect((await readBack(folder)).records).toEqual(['ab', 'c']);
  expect((await readdir(folder)).sort()).toEqual(['log-00000002.wal', 'mark.json', 'snapshot-00000002.wal']);
});

test('missing and foreign files and incomplete snapshots are named', async () => {
  const folder = await temporaryFolder();
  const { log } = await openLog(folder);
  await append(log, 'a');
  await log.compact(() => [Buffer.from('a')]);
  await log.close();
  const [next, snapshot] = ['log-00000002.wal', 'snapshot-00000002.wal'].map((name) => join(folder, name));
  const content = await readFile(next);
  await rm(next);
  await expect(readBack(folder)).rejects.toThrow(`${next}: no such file`);
  const newer = Buffer.from(content);
  newer[6] = 9;
  await writeFile(next, newer);
  await expect(readBack(folder)).rejects.toThrow(`${next}: expected format version 1 or 2, got 9`);
  await writeFile(next, content);
  await truncate(snapshot, (await readFile(snapshot)).length - 1);
  await expect(readBack(folder)).rejects.toThrow(
    `${snapshot}: byte ${framesOf('a')[1]}: expected the snapshot's end after 1 frames`,
  );
});

test('a write to a log that was removed or replaced is refused, and goes on when it is back', async () => {
  const parent = await temporaryFolder();
  const folder = join(parent, 'state');
  const { log } = await openLog(folder);
  await append(log, 'fine');
  await rename(folder, join(parent, 'elsewhere'));
  const expected = { message: expect.stringContaining('expected the log that is being written') };
  await expect(append(log, 'lost')).rejects.toMatchObject(expected);
  await expect(log.compact(() => [Buffer.from('all')])).rejects.toMatchObject(expected);
  await logOf(folder, 'of somebody else');
  await expect(append(log, 'lost')).rejects.toMatchObject(expected);
  await rm(folder, { recursive: true });
  await rename(join(parent, 'elsewhere'), folder);
  await append(log, 'later');
  await log.close();
  expect((await readBack(folder)).records).toEqual(['fine', 'later']);
});

test('a write waits for a state folder that has no name for a moment', async () => {
  const parent = await temporaryFolder();
  const folder = join(parent, 'state');
  const { log } = await openLog(folder);
  // However long this machine takes, it is a moment.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  await rename(folder, join(parent, 'elsewhere'));
  const written = append(log, 'kept');
  await sleep(100);
  await rename(join(parent, 'elsewhere'), folder);
  await written;
  await log.close();
  expect((await readBack(folder)).records).toEqual(['kept']);
});
