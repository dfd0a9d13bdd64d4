import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { MemorySearcher } from '../memory-searcher.fixture.js';
import { ServedIndex } from './served-index.js';

/** Versions v1, v2 … in the order they are opened. */
function versions(options: { pause?: () => Promise<unknown> } = {}): {
  open: () => Promise<MemorySearcher>;
  opened: MemorySearcher[];
  newest: { number: number; fails?: boolean };
} {
  const newest: { number: number; fails?: boolean } = { number: 1 };
  const opened: MemorySearcher[] = [];
  const open = async (): Promise<MemorySearcher> => {
    if (newest.fails) throw new Error('damaged');
    const searcher = new MemorySearcher(`v${newest.number}`, [{ id: 'a', text: 'word' }], options);
    opened.push(searcher);
    return searcher;
  };
  return { open, opened, newest };
}

const versionOf = async ({ version }: { version: string }): Promise<string> => version;

describe('the served index', () => {
  test('who asks before it is open waits for it', async () => {
    const { open } = versions();
    const index = new ServedIndex({ open });
    const early = index.use(versionOf);
    expect(index.version).toBeUndefined();
    await index.start();
    expect(await early).toBe('v1');
    await index.close();
  });

  test('closed before it was open: whoever waits is told', async () => {
    const index = new ServedIndex({ open: versions().open });
    const early = index.use(versionOf);
    await index.close();
    await expect(early).rejects.toMatchObject({ statusCode: 503, code: 'closing' });
  });

  test('what is being opened already is the first version', async () => {
    const { open, opened, newest } = versions();
    const index = new ServedIndex({ open, opening: open() });
    newest.number = 2;
    await index.start();
    expect(index.version).toBe('v1');
    await index.close();
    expect(opened.map(({ closed }) => closed)).toEqual([true]);
  });

  test('what is being opened already is closed, too, where it is never used', async () => {
    const { open, opened } = versions();
    const index = new ServedIndex({ open, opening: open() });
    await index.close();
    expect(opened.map(({ closed }) => closed)).toEqual([true]);
    const failing = new ServedIndex({ open, opening: Promise.reject(new Error('damaged')) });
    await failing.close();
  });

  test('a newer version takes over; work under way ends on its own', async () => {
    const { open, opened, newest } = versions();
    const index = new ServedIndex({ open });
    await index.start();
    let finish = (): void => {};
    const old = index.use(async (searcher) => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      expect(await searcher.documents.get('a')).toBeDefined();
      return searcher.version;
    });
    newest.number = 2;
    expect(await index.reload()).toEqual({ version: 'v2', changed: true });
    expect(await index.use(versionOf)).toBe('v2');
    expect(opened[0].closed).toBe(false);
    finish();
    expect(await old).toBe('v1');
    expect(opened.map(({ closed }) => closed)).toEqual([true, false]);
    await index.close();
    expect(opened.map(({ closed }) => closed)).toEqual([true, true]);
  });

  test('nothing newer: what was opened is closed again', async () => {
    const { open, opened } = versions();
    const index = new ServedIndex({ open });
    await index.start();
    expect(await index.reload()).toEqual({ version: 'v1', changed: false });
    expect(opened.map(({ closed }) => closed)).toEqual([false, true]);
    await index.close();
  });

  test('a reload that fails leaves the version, and the next can succeed', async () => {
    const { open, newest } = versions();
    const index = new ServedIndex({ open });
    await index.start();
    Object.assign(newest, { number: 2, fails: true });
    await expect(index.reload()).rejects.toThrow('damaged');
    expect(await index.use(versionOf)).toBe('v1');
    newest.fails = false;
    expect(await index.reload()).toEqual({ version: 'v2', changed: true });
    await index.close();
  });

  test('reloads asked for during one share the next', async () => {
    const { open, opened, newest } = versions();
    const index = new ServedIndex({ open });
    await index.start();
    newest.number = 2;
    const first = index.reload();
    await expect.poll(() => opened).toHaveLength(2);
    newest.number = 3;
    const [second, third] = [index.reload(), index.reload()];
    expect(await first).toEqual({ version: 'v2', changed: true });
    expect(await second).toEqual({ version: 'v3', changed: true });
    expect(await third).toEqual({ version: 'v3', changed: true });
    expect(opened).toHaveLength(3);
    await index.close();
  });

  test('work without end during twenty swaps: none mixed, none on a closed version', async () => {
    const { open, opened, newest } = versions({ pause: () => sleep(1) });
    const index = new ServedIndex({ open });
    await index.start();
    const seen: string[] = [];
    let swapping = true;
    const worker = async (): Promise<void> => {
      while (swapping) {
        await index.use(async (searcher) => {
          await searcher.retriever('bm25').search(['word'], { k: 1 });
          await searcher.documents.get('a');
          seen.push(searcher.version);
        });
      }
    };
    const workers = Array.from({ length: 10 }, worker);
    for (newest.number = 2; newest.number <= 21; newest.number++) {
      await index.reload();
      await expect.poll(() => seen.at(-1)).toBe(`v${newest.number}`);
    }
    swapping = false;
    await Promise.all(workers);
    await index.close();
    expect(new Set(seen).size).toBe(21);
    expect(opened.map(({ closed }) => closed)).toEqual(Array(21).fill(true));
  });
});
