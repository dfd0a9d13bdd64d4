import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { shareWords, trainTinyRun, writeTinyData } from '../src/analyze/tiny-run.fixture.js';
import { writeCollection } from './web/collection.js';
import { describeInBrowser, serveInTest } from './web/in-browser.js';
import { type ServeProcess, startServe } from './web/serve-process.js';
import { picture, type WatchedPage } from './web/watched-page.js';

const WAIT = { timeout: 180_000 };

describeInBrowser('the space and quality pages', (tests) => {
  let serve: ServeProcess;

  beforeAll(async () => {
    await writeTinyData(tests.folder);
    await shareWords(tests.folder);
    await trainTinyRun(tests.folder, 'tiny');
    serve = await startServe(join(tests.folder, 'tiny'));
    return () => serve.stop();
  });

  const open = (path: string, options?: BrowserContextOptions): Promise<WatchedPage> =>
    tests.visit(serve.url + path, options);

  /** Nothing may stick out sideways. */
  async function expectNoSidewaysScroll(page: Page): Promise<void> {
    const [content, window] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [
      number,
      number,
    ];
    expect(content).toBeLessThanOrEqual(window);
  }

  const maps = (page: Page) => page.locator('.scatter svg');
  const before = (page: Page) => page.getByText('Before training', { exact: true });

  test('space: computes, shows before and after, hides kinds, tells what a point is', async () => {
    const { page, expectClean, expectAccessible } = await open('/space');
    await before(page).waitFor(WAIT);
    expect(await maps(page).count()).toBe(2);
    const points = page.locator('.scatter').first().locator('.point');
    const all = await points.count();
    expect(all).toBeGreaterThan(50);
    await page.getByLabel(/^ANN negative/).uncheck();
    expect(await points.count()).toBe(all - 25);
    await page.getByLabel(/^ANN negative/).check();
    await page.locator('.scatter').first().locator('.point-positive').hover({ force: true });
    expect(await page.locator('.scatter-tip').allInnerTexts()).toEqual([
      expect.stringMatching(/^positive, score /),
      expect.stringMatching(/^positive, score /),
    ]);
    expect(await page.locator('.point-ring').count()).toBe(2);
    await picture(page, 'space');
    await expectAccessible();
    expectClean();
  });

  test('space: another query, method and view, all in the address; the table serves the keyboard', async () => {
    const { page, expectClean } = await open('/space');
    await before(page).waitFor(WAIT);
    const isTrainList = (url: string): boolean => /space\/queries\?.*split=train/.test(url);
    const [response] = await Promise.all([
      page.waitForResponse((answer) => isTrainList(answer.url()), WAIT),
      page.getByLabel('Split').selectOption('train'),
    ]);
    const words = (await response.json()).queries[3].text;
    const picker = page.getByRole('region', { name: 'Choose a query' });
    await picker.getByRole('button', { name: words, exact: true }).first().click();
    await page.getByRole('heading', { name: words, exact: true }).waitFor(WAIT);
    await page.getByRole('tab', { name: 'UMAP' }).click();
    await page.waitForURL(/method=umap/);
    await page.getByRole('tab', { name: 'After', exact: true }).click();
    await expect.poll(() => maps(page).count(), WAIT).toBe(1);
    expect(new URL(page.url()).searchParams.get('query')).toMatch(/^q\d/);
    await page.reload();
    await page.getByRole('heading', { name: words, exact: true }).waitFor(WAIT);
    expect(await before(page).count()).toBe(0);
    await page.locator('.point-table tbody a').first().focus();
    expect(await page.locator('.point-ring').count()).toBe(1);
    expectClean();
  });

  test('quality: the table, wins and losses, and both lists with what is relevant', async () => {
    const { page, expectClean, expectAccessible } = await open('/quality');
    await page.getByRole('cell', { name: 'BM25', exact: true }).waitFor(WAIT);
    for (const system of [/^start/, /^trained model, step/, /^hybrid/]) {
      expect(await page.getByRole('cell', { name: system }).count()).toBe(1);
    }
    const counts = await page.locator('.win-loss-legend b').allInnerTexts();
    const list = page.getByRole('region', { name: 'Queries', exact: true });
    for (const [nth, kind] of ['Wins', 'Ties', 'Losses'].entries()) {
      await list.getByRole('tab', { name: kind }).click();
      await list.getByText(`${counts[nth]} queries`, { exact: true }).waitFor(WAIT);
    }
    await list.getByRole('tab', { name: 'Wins' }).click();
    const first = list.locator('.case-button').first();
    const words = await first.innerText();
    await first.click();
    const shown = page.getByRole('region', { name: `Results for ${words}` });
    await shown.waitFor(WAIT);
    expect(await shown.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual(['BM25', 'Trained model']);
    expect(await shown.getByText('✓ relevant').count()).toBeGreaterThan(0);
    await list.getByRole('button', { name: 'Difference' }).click();
    const differences = (await list.locator('tbody td:last-child').allInnerTexts()).map((text) =>
      Number(text.replace('+', '').replace('−', '-').replace('±', '')),
    );
    expect(differences).toEqual([...differences].sort((a, b) => b - a));
    await picture(page, 'quality');
    await expectAccessible();
    await shown.getByRole('link', { name: 'See it in space' }).click();
    await page.waitForURL(/\/space\?run=tiny&query=/);
    expectClean();
  });

  test.each(['/space', '/quality'])('%s on a narrow dark screen', async (path) => {
    const options = { viewport: { width: 360, height: 780 }, colorScheme: 'dark' as const };
    const { page, expectClean, expectAccessible } = await open(path, options);
    await page
      .locator(path === '/space' ? '.scatter' : '.win-loss')
      .first()
      .waitFor(WAIT);
    await page
      .locator(path === '/space' ? '.query-list li' : '.case-hits')
      .first()
      .waitFor(WAIT);
    await expectNoSidewaysScroll(page);
    await picture(page, `${path.slice(1)}-narrow-dark`);
    await expectAccessible();
    expectClean();
  });

  test('what is not there is said: a query, a split, a run; and how to get a run where there is none', async () => {
    const { page } = await open('/space?query=nobody');
    await page.getByText('data: no query "nobody"').waitFor(WAIT);
    await page.goto(`${serve.url}/quality?split=nope`);
    await page.getByText('data: no split "nope"').waitFor(WAIT);
    await page.goto(`${serve.url}/quality?run=nope`);
    await page.getByText('there is no run "nope"').waitFor(WAIT);
    const bare = await serveInTest(await writeCollection(join(tests.folder, 'bare')));
    for (const path of ['/space', '/quality']) {
      await page.goto(bare.url + path);
      await page.getByText('Nothing has been trained here yet').waitFor(WAIT);
    }
  });
});
