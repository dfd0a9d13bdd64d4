import { existsSync, readFileSync } from 'node:fs';
import { cp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstFormatFile } from './first-format.fixture.js';
import {
  append,
  FILE_HEADER,
  FRAME_HEADER,
  framesOf,
  logOf,
  openLog,
  readBack,
  temporaryFolder,
} from './log.fixture.js';

const SNAPSHOT = 'snapshot-00000002.wal';
const [LOG_1, LOG_2, LOG_3] = [1, 2, 3].map((number) => `log-0000000${number}.wal`);

async function contentsOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort();
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name), 'base64')));
  return Object.fromEntries(names.map((name, i) => [name, contents[i]]));
}

/** A snapshot of three records and, after it, two logs: a compaction between them could not be finished. */
async function wholeState(): Promise<{ folder: string; records: string[] }> {
  const folder = await temporaryFolder();
  const { log } = await openLog(folder);
  await append(log, 'old');
  await log.compact(() => ['s1', 's2', 's3'].map((each) => Buffer.from(each)));
  for (const record of ['a', 'b', 'c']) await append(log, record);
  function* failing(): Generator<Buffer> {
    yield Buffer.from('never');
    throw new Error('injected');
  }
  await expect(log.compact(failing)).rejects.toThrow('injected');
  for (const record of ['d', 'e', 'f']) await append(log, record);
  await log.close();
  return { folder, records: ['s1', 's2', 's3', 'a', 'b', 'c', 'd', 'e', 'f'] };
}

/** The frames of a file, and its header first. */
function split(file: Buffer): Buffer[] {
  const parts = [file.subarray(0, FILE_HEADER)];
  for (let at = FILE_HEADER; at < file.length; ) {
    const end = at + FRAME_HEADER + file.readUInt32LE(at);
    parts.push(file.subarray(at, end));
    at = end;
  }
  return parts;
}

test('a state of several files comes back whole', async () => {
  const { folder, records } = await wholeState();
  expect(await readdir(folder)).toEqual([LOG_2, LOG_3, 'mark.json', SNAPSHOT]);
  expect(await readBack(folder)).toEqual({ records, cuts: [] });
});

test('a file cut between two frames, the last one included, is an error that names it; nothing is changed', async () => {
  const { folder } = await wholeState();
  for (const name of [SNAPSHOT, LOG_2, LOG_3]) {
    const path = join(folder, name);
    const whole = await readFile(path);
    const parts = split(whole);
    for (let kept = 1; kept < parts.length; kept++) {
      await writeFile(path, Buffer.concat(parts.slice(0, kept)));
      const before = await contentsOf(folder);
      await expect(readBack(folder)).rejects.toMatchObject({
        message: expect.stringMatching(/\.wal: byte \d+: expected /),
        hint: expect.stringContaining('nothing was changed'),
      });
      await expect(readBack(folder)).rejects.toThrow(name);
      expect(await contentsOf(folder)).toEqual(before);
    }
    await writeFile(path, whole);
  }
});

test('frames that were taken out, doubled, exchanged or altered in any file are never read over', async () => {
  const { folder, records } = await wholeState();
  const intact = await temporaryFolder();
  await cp(folder, intact, { recursive: true });
  const name = fc.constantFrom(SNAPSHOT, LOG_2, LOG_3);
  const changes = fc.oneof(
    fc.record({ kind: fc.constant('remove'), at: fc.nat(), other: fc.nat() }),
    fc.record({ kind: fc.constant('double'), at: fc.nat(), other: fc.nat() }),
    fc.record({ kind: fc.constant('exchange'), at: fc.nat(), other: fc.nat() }),
    fc.record({ kind: fc.constant('flip'), at: fc.nat(), other: fc.nat(7) }),
    fc.record({ kind: fc.constant('cut'), at: fc.nat(), other: fc.nat() }),
  );
  await fc.assert(
    fc.asyncProperty(name, changes, async (file, { kind, at, other }) => {
      await cp(intact, folder, { recursive: true });
      const whole = await readFile(join(folder, file));
      const [header, ...frames] = split(whole);
      const [i, j] = [at % frames.length, other % frames.length];
      if (kind === 'remove') frames.splice(i, 1);
      if (kind === 'double') frames.splice(i, 0, frames[i]);
      if (kind === 'exchange') [frames[i], frames[j]] = [frames[j], frames[i]];
      let changed = Buffer.concat([header, ...frames]);
      if (kind === 'flip') changed[at % changed.length] ^= 1 << other;
      if (kind === 'cut') changed = changed.subarray(0, at % changed.length);
      await writeFile(join(folder, file), changed);
      if (changed.equals(whole)) expect((await readBack(folder)).records).toEqual(records);
      else await expect(readBack(folder)).rejects.toThrow(/(snapshot|log)-\d+\.wal: /);
    }),
    { numRuns: 150, seed: 14 },
  );
});

test('files that are missing or of another folder are named', async () => {
  const { folder } = await wholeState();
  const { folder: other } = await wholeState();
  for (const name of [SNAPSHOT, LOG_2, LOG_3]) {
    const path = join(folder, name);
    const whole = await readFile(path);
    await rm(path);
    await expect(readBack(folder)).rejects.toThrow(`${path}: no such file, though`);
    await writeFile(path, await readFile(join(other, name)));
    await expect(readBack(folder)).rejects.toThrow(/\.wal: byte \d+: expected /);
    await writeFile(path, whole);
  }
  await rm(join(folder, LOG_2));
  await rm(join(folder, LOG_3));
  await rm(join(folder, SNAPSHOT));
  await expect(readBack(folder)).rejects.toThrow(`${join(folder, LOG_3)}: no such file, though mark.json`);
});

test('before a damaged snapshot nothing is removed, and what to do about it keeps everything', async () => {
  const folder = await temporaryFolder();
  const { log } = await openLog(folder);
  await append(log, 'a', 'b');
  await cp(join(folder, LOG_1), join(folder, 'kept'));
  await log.compact(() => [Buffer.from('ab')]);
  await append(log, 'c');
  await log.close();
  // The process was killed before it could remove the old log, and then the snapshot was damaged.
  await rename(join(folder, 'kept'), join(folder, LOG_1));
  await writeFile(join(folder, '.partial-snapshot-00000003.wal-12345678'), 'half');
  const snapshot = await readFile(join(folder, SNAPSHOT));
  snapshot[FILE_HEADER + FRAME_HEADER + 5] ^= 1;
  await writeFile(join(folder, SNAPSHOT), snapshot);
  const before = await contentsOf(folder);
  await expect(readBack(folder)).rejects.toMatchObject({
    message: `${join(folder, SNAPSHOT)}: byte 24: frame 0 of 6 bytes does not match its checksum`,
    hint: `nothing was changed, and nothing is lost: the older files of the folder hold everything. Move ${SNAPSHOT} out of it and open it again`,
  });
  expect(await contentsOf(folder)).toEqual(before);
  await rm(join(folder, SNAPSHOT));
  expect((await readBack(folder)).records).toEqual(['a', 'b', 'c']);
});

test('a mark that is damaged or missing costs nothing', async () => {
  const folder = await temporaryFolder();
  await logOf(folder, 'a');
  const path = join(folder, 'mark.json');
  const mark = await readFile(path, 'utf8');
  for (const content of ['', mark.slice(0, 20), mark.replace('"log":1', '"log":7')]) {
    await writeFile(path, content);
    const { records, cuts } = await readBack(folder);
    expect(records).toEqual(['a']);
    expect(cuts).toEqual([expect.stringContaining(`${path}: damaged`)]);
    expect(await readFile(path, 'utf8')).toBe(mark);
  }
  await rm(path);
  expect(await readBack(folder)).toEqual({ records: ['a'], cuts: [] });
});

test('the mark follows every write, and a log beyond it is read, too', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'mark.json');
  const { log } = await openLog(folder);
  await expect.poll(() => existsSync(path)).toBe(true);
  const before = await readFile(path);
  let bytes = 0;
  for (const record of ['a', 'b', 'c']) {
    await append(log, record);
    // As after a kill: nothing was closed. What was acknowledged is in the mark.
    bytes = JSON.parse(readFileSync(path, 'utf8')).bytes;
    expect(bytes).toBe(log.bytes);
  }
  const killed = await temporaryFolder();
  await cp(folder, killed, { recursive: true });
  await truncate(join(killed, LOG_1), framesOf('a', 'b')[2]);
  await expect(readBack(killed)).rejects.toMatchObject({
    message: `${join(killed, LOG_1)}: byte ${framesOf('a', 'b')[2]}: expected complete frames up to byte ${bytes} at least, which were acknowledged`,
    hint: expect.stringContaining('remove mark.json'),
  });
  await log.close();
  await writeFile(path, before);
  expect(await readBack(folder)).toEqual({ records: ['a', 'b', 'c'], cuts: [] });
});

test('files of the first version are read, and written anew at the next compaction', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, SNAPSHOT), firstFormatFile(2, [['s1'], ['s2']]));
  const torn = firstFormatFile(2, [['a', 'b'], ['c']]);
  await writeFile(join(folder, LOG_2), torn.subarray(0, torn.length - 1));
  const { log, records, cuts } = await openLog(folder);
  expect(records).toEqual(['s1', 's2', 'a', 'b']);
  expect(cuts).toHaveLength(1);
  await append(log, 'd');
  await log.close();
  expect(await readdir(folder)).toEqual([LOG_2, LOG_3, 'mark.json', SNAPSHOT]);
  expect(await readBack(folder)).toEqual({ records: ['s1', 's2', 'a', 'b', 'd'], cuts: [] });

  // From now on the old log cannot lose frames in silence.
  const whole = await readFile(join(folder, LOG_2));
  await truncate(join(folder, LOG_2), 16);
  await expect(readBack(folder)).rejects.toThrow(
    `${LOG_3}: byte 0: expected a file that goes on where ${LOG_2} ends`,
  );
  await writeFile(join(folder, LOG_2), whole);

  const { log: next } = await openLog(folder);
  await next.compact(() => [Buffer.from('all')]);
  await next.close();
  expect(await readdir(folder)).toEqual(['log-00000004.wal', 'mark.json', 'snapshot-00000004.wal']);
  expect((await readFile(join(folder, 'snapshot-00000004.wal'))).readUInt16LE(6)).toBe(2);
  expect((await readBack(folder)).records).toEqual(['all']);
});
