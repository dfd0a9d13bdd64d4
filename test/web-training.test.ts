import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { shareWords, trainTinyRun, writeTinyData } from '../src/analyze/tiny-run.fixture.js';
import { smooth } from '../web/src/training/smooth.js';
import { runBuiltCli } from './console-blocks.fixture.js';
import { describeInBrowser, serveInTest } from './web/in-browser.js';
import { type ServeProcess, startServe } from './web/serve-process.js';
import { picture, type WatchedPage } from './web/watched-page.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');
const WAIT = { timeout: 180_000 };

test('smoothing follows a constant at once, starts at the first value and begins anew at each stage', () => {
  const x = [0, 1, 2, 3];
  expect(smooth({ x, y: [5, 5, 5, 5] }, 0.9)).toEqual([5, 5, 5, 5].map((value) => expect.closeTo(value, 9)));
  expect(smooth({ x, y: [4, 1, 3, 2] }, 0)).toEqual([4, 1, 3, 2]);
  const [first, second, third, fourth] = smooth({ x, y: [8, 4, 100, 50] }, 0.5, [0, 2]);
  expect([first, third]).toEqual([8, 100]);
  expect(second).toBeCloseTo((0.25 * 8 + 0.5 * 4) / 0.75);
  expect(fourth).toBeCloseTo((0.25 * 100 + 0.5 * 50) / 0.75);
});

describeInBrowser('the training page', (tests) => {
  let serve: ServeProcess;

  beforeAll(async () => {
    const { folder } = tests;
    await writeTinyData(folder);
    await shareWords(folder);
    await mkdir(join(folder, 'runs'));
    await trainTinyRun(folder, 'runs/first');
    await trainTinyRun(folder, 'runs/hot', ['optimizer.learningRate=0.01']);
    serve = await startServe(join(folder, 'runs', 'first'), ['--runs', join(folder, 'runs')]);
    return () => serve.stop();
  });

  const open = (path: string, options?: BrowserContextOptions): Promise<WatchedPage> =>
    tests.visit(serve.url + path, options);

  const chart = (page: Page, title: string) => page.getByRole('figure', { name: title, exact: true });

  test('the same query before and after, side by side, with what moved', async () => {
    const { page, expectClean, expectAccessible } = await open('/before-after?run=hot');
    const words = JSON.parse(
      (await readFile(join(tests.folder, 'data/queries.jsonl'), 'utf8')).split('\n')[3],
    );
    await page.getByRole('searchbox').fill(words.text);
    await page.keyboard.press('Enter');
    const after = page.getByRole('region', { name: 'After: hot' });
    await after.locator('.hit').nth(9).waitFor(WAIT);
    await page
      .getByRole('region', { name: /^Before: / })
      .locator('.hit')
      .nth(9)
      .waitFor(WAIT);
    await after.locator('.move').first().waitFor(WAIT);
    await expectAccessible();
    await picture(page, 'before-after');
    await page.getByLabel('Run').selectOption('first');
    // What is served is compared with what its training began with, and not with itself.
    const served = page.getByRole('region', { name: 'After: first' });
    const start = page.getByRole('region', { name: 'Before: scratch' });
    const hits = (column: typeof served) => column.locator('.hit h3').allInnerTexts();
    for (const column of [served, start]) await column.locator('.hit').nth(9).waitFor(WAIT);
    await expect.poll(async () => (await hits(served)).length).toBe(10);
    expect(await hits(served)).not.toEqual(await hits(start));
    await page.getByLabel('Search with').selectOption('hybrid');
    await expect.poll(() => new URL(page.url()).searchParams.get('mode')).toBe('hybrid');
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expectClean(/status of 503/);
  });

  test('a finished run: progress, processes, every chart, and its numbers as a table', async () => {
    const { page, expectClean, expectAccessible } = await open('/training?run=first');
    const header = page.getByRole('region', { name: 'Run first' });
    await header.getByText('30 / 30').waitFor(WAIT);
    expect(await header.getByText('finished', { exact: true }).count()).toBe(3);
    for (const title of [
      'Loss',
      'Dev measures',
      'Gradient norm by layer group',
      'Gradient norm by source of negatives',
      'Age of the negatives',
      'Checkpoint behind the negatives',
      'Negatives replaced',
      'Trainer',
      'Inferencer',
      'Duration of a refresh',
    ]) {
      await chart(page, title).waitFor(WAIT);
    }
    await chart(page, 'Age of the negatives').getByRole('button', { name: 'Table' }).click();
    const cells = await chart(page, 'Age of the negatives').locator('tbody tr').allInnerTexts();
    expect(cells.map((row) => row.split(/\s+/))).toEqual([
      ['10', '0'],
      ['19', '9'],
      ['20', '0'],
      ['29', '9'],
    ]);
    await picture(page, 'finished');
    await expectAccessible();
    expectClean();
  });

  test('smoothing and the logarithmic loss stand in the address and change the chart', async () => {
    const { page, expectClean } = await open('/training?run=first');
    await chart(page, 'Loss').getByText('each step').waitFor(WAIT);
    await page.getByRole('slider', { name: 'Smoothing' }).fill('0');
    await chart(page, 'Loss')
      .getByText('each step')
      .waitFor({ ...WAIT, state: 'detached' });
    await page.getByRole('checkbox', { name: 'Logarithmic loss' }).check();
    expect(new URL(page.url()).search).toBe('?run=first&smooth=0&log=1');
    expectClean();
  });

  test('two runs over each other, and what differs between their recipes', async () => {
    const { page, expectClean, expectAccessible } = await open('/training?run=first');
    await page.getByRole('checkbox', { name: 'Compare hot' }).check();
    await page.getByRole('region', { name: 'Run hot' }).waitFor(WAIT);
    await chart(page, 'Loss').locator('.u-legend').getByText('hot').waitFor(WAIT);
    expect(await chart(page, 'Loss').locator('.u-legend').innerText()).toContain('first');
    await picture(page, 'compared');
    await expectAccessible();
    await page.getByRole('tab', { name: 'Recipe' }).click();
    const rows = page.getByRole('table', { name: 'Settings in which the runs differ' }).locator('tbody tr');
    expect((await rows.allInnerTexts()).map((row) => row.split(/\s+/))).toEqual([
      ['optimizer.learningRate', '0.001', '0.01'],
    ]);
    await picture(page, 'differences');
    expectClean();
  });

  test('mined negatives of a query, with the keyboard', async () => {
    const { page, expectClean, expectAccessible } = await open('/training?run=first&show=negatives');
    const queries = page.getByRole('region', { name: 'Training queries' });
    await queries.getByRole('button').first().waitFor(WAIT);
    await page.getByRole('searchbox', { name: 'Training queries' }).fill('q5-');
    await queries.getByText(/^\d+ queries$/).waitFor(WAIT);
    await queries.locator('li button').first().focus();
    await page.keyboard.press('Enter');
    const mined = page.getByRole('region', { name: 'Mined negatives' });
    await mined.getByText('Its positive').waitFor(WAIT);
    expect(await mined.getByText(/^rank \d+$/).count()).toBeGreaterThan(10);
    expect(await mined.innerText()).toContain('checkpoint 20');
    const versions = mined.getByRole('combobox', { name: 'Version' });
    const [table] = (await versions.locator('option').allInnerTexts()).filter((name) =>
      name.startsWith('bm25-'),
    );
    await versions.selectOption(table);
    await mined.getByText('Ranked by BM25').waitFor(WAIT);
    expect(new URL(page.url()).searchParams.get('table')).toBe(table);
    await page.goBack();
    await mined.getByText('Ranked by the model itself').waitFor(WAIT);
    await picture(page, 'negatives');
    await expectAccessible();
    expectClean();
  });

  test('dark, and no wider than a phone', async () => {
    for (const show of ['curves', 'negatives', 'recipe', 'checkpoints']) {
      const { page, expectClean, expectAccessible } = await open(`/training?run=first&show=${show}`, {
        colorScheme: 'dark',
        viewport: { width: 360, height: 740 },
      });
      await page.getByRole('region', { name: 'Run first' }).waitFor(WAIT);
      await page.getByRole('tabpanel').locator('figure, li, table').first().waitFor(WAIT);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      await picture(page, `dark-${show}`);
      await expectAccessible();
      expectClean();
    }
  });

  test('a run that does not exist is said not to', async () => {
    const { page, expectClean } = await open('/training?run=nothing');
    await page.getByRole('alert').getByText('there is no run "nothing"').waitFor(WAIT);
    expectClean(/404/);
  });

  test('training is seen while it goes on, and its end', async () => {
    const { page, expectClean } = await open('/training');
    const child = train(tests.folder);
    onTestFinished(() => end(child));
    await page.getByRole('button', { name: /^live/ }).click(WAIT);
    const header = page.getByRole('region', { name: 'Run live' });
    await header.getByText(/about .* left/).waitFor(WAIT);
    const steps = async () => Number((await header.locator('progress').first().getAttribute('value')) ?? 0);
    const before = await steps();
    await expect.poll(steps).toBeGreaterThan(before + 5);
    await expect.poll(() => header.locator('.badge-running').count()).toBe(3);
    await chart(page, 'Checkpoint behind the negatives').waitFor(WAIT);
    await picture(page, 'live');
    child.kill('SIGINT');
    await header.getByRole('button', { name: 'Go on' }).waitFor(WAIT);
    expectClean();
  });

  test('the report of a run is no wider than its window', async () => {
    const out = join(tests.folder, 'report.html');
    const { code, stderr } = await runBuiltCli(
      ['report', 'runs/first', '--out', out, '--queries', '20', '--threads', '1'],
      { cwd: tests.folder },
    );
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
    const { page } = await tests.visit(pathToFileURL(out).href);
    expect(await page.content()).toContain('Speed of the Inferencer');
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
  });

  test('a server without runs says how to get one', async () => {
    const bare = await serveInTest(join(tests.folder, 'data'));
    const { page, expectClean } = await tests.visit(`${bare.url}/training`);
    await page.getByRole('heading', { name: 'Train a model on labels' }).waitFor(WAIT);
    await page.getByRole('button', { name: 'Start' }).waitFor(WAIT);
    expectClean();
  });
});

/** A run that would go on for long, as a user starts it. */
function train(folder: string): ChildProcess {
  const set = ['stages.ance.steps=20000', 'refresh.mode=async', 'checkpoint.every=20'];
  const paths = ['--data', join(folder, 'data'), '--out', join(folder, 'runs', 'live')];
  const threads = ['--trainer-threads', '1', '--inferencer-threads', '1'];
  const settings = set.flatMap((value) => ['--set', value]);
  return spawn(process.execPath, [CLI, 'train', ...paths, '--recipe', 'tiny', ...threads, ...settings], {
    stdio: 'ignore',
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  await ended;
}
