import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstFormatFile } from './first-format.fixture.js';
import { append, FILE_HEADER, framesOf, logOf, openLog, readBack, temporaryFolder } from './log.fixture.js';
import { salvageState } from './salvage.js';

test('of a damaged log everything but the damaged frame is taken over, wherever the damage is', async () => {
  const folder = await temporaryFolder();
  const records = ['first', 'second', 'third', 'fourth'];
  const path = await logOf(folder, ...records);
  const whole = await readFile(path);
  const starts = framesOf(...records);
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(7), async (at, bit) => {
      const damaged = Buffer.from(whole);
      damaged[at] ^= 1 << bit;
      await writeFile(path, damaged);
      const target = await temporaryFolder();
      const { records: saved, gaps } = await salvageState(folder, target);
      const hit = starts.findLastIndex((start) => start <= at);
      const expected = records.filter((_, i) => at < FILE_HEADER || i !== hit);
      expect((await readBack(target)).records).toEqual(expected);
      expect(saved).toBe(expected.length);
      expect(gaps).toEqual([
        at < FILE_HEADER
          ? { path, start: 0, bytes: FILE_HEADER }
          : { path, start: starts[hit], bytes: starts[hit + 1] - starts[hit] },
      ]);
      expect((await readFile(path)).equals(damaged)).toBe(true);
    }),
    { numRuns: 40, seed: 6 },
  );
});

test('a snapshot that is whole stands for what came before it; of a damaged one the intact frames are kept', async () => {
  const folder = await temporaryFolder();
  const { log } = await openLog(folder);
  await append(log, 'old');
  await log.compact(() => ['s1', 's2', 's3'].map((each) => Buffer.from(each)));
  await append(log, 'new');
  await log.close();
  await writeFile(join(folder, 'log-00000001.wal'), firstFormatFile(1, [['left by a crash']]));
  const whole = await temporaryFolder();
  await salvageState(folder, whole);
  expect((await readBack(whole)).records).toEqual(['s1', 's2', 's3', 'new']);

  const path = join(folder, 'snapshot-00000002.wal');
  const snapshot = await readFile(path);
  snapshot[framesOf('s1')[1] + 3] ^= 1;
  await writeFile(path, snapshot);
  const part = await temporaryFolder();
  expect((await salvageState(folder, part)).gaps).toHaveLength(1);
  expect((await readBack(part)).records).toEqual(['left by a crash', 's1', 's3', 'new']);
  await expect(salvageState(folder, part)).rejects.toThrow(`${part}: expected a new or empty folder`);
});
