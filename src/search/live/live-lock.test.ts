import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ELSEWHERE, leaveForeignLock, whileItLives } from '../../base/lock/foreign-lock.fixture.js';
import { openLiveSearcher } from './index.js';
import { temporaryFolder, writeCollection } from './live.fixture.js';

async function prepare(): Promise<{ data: string; state: string }> {
  const folder = await temporaryFolder();
  await writeCollection(join(folder, 'data'), [{ id: 'd1', text: 'apple' }]);
  return { data: join(folder, 'data'), state: join(folder, 'state') };
}

test('a state folder that lives on another machine is refused', async () => {
  const { data, state } = await prepare();
  const lock = join(state, 'lock');
  await leaveForeignLock(lock);
  const warnings: string[] = [];
  const open = () => openLiveSearcher(data, { state, onWarning: (message) => warnings.push(message) });
  await expect(whileItLives(lock, open)).rejects.toMatchObject({
    message: `${state}: process 4711 on elsewhere (since 2026-01-31T10:00:00.000Z) writes here already`,
    hint: expect.stringContaining('stop that process first there; 60 s after its last sign of life'),
  });
  expect(warnings).toEqual([expect.stringContaining('waiting for a sign of life')]);
});

test('nothing is written any more once another machine has the folder', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { data, state } = await prepare();
  const live = await openLiveSearcher(data, { state });
  await live.upsert([{ id: 'd2', text: 'pear' }]);

  await leaveForeignLock(join(state, 'lock'));
  await vi.advanceTimersByTimeAsync(5_000);
  const written = (): Promise<string> =>
    live.upsert([{ id: 'd3', text: 'plum' }]).then(
      () => 'written',
      (error: Error) => error.message,
    );
  await expect.poll(written).toContain('has lost its lock');
  // Writes before the beat that noticed may be in it.
  const log = await readFile(join(state, 'log-00000001.wal'));
  await expect(live.upsert([{ id: 'd4', text: 'fig' }])).rejects.toThrow('has lost its lock');
  await expect(live.remove(['d1'])).rejects.toThrow('has lost its lock');
  await expect(live.forget(1)).rejects.toThrow('has lost its lock');
  const [hits] = await live.retriever('bm25').search(['pear'], { k: 1 });
  expect(hits).toMatchObject([{ id: 'd2' }]);

  await live.close();
  expect(await readFile(join(state, 'log-00000001.wal'))).toEqual(log);
  expect(JSON.parse(await readFile(join(state, 'lock'), 'utf8'))).toEqual(ELSEWHERE);
});
