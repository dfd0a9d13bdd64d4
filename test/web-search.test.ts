import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeCollection } from './web/collection.js';
import { describeInBrowser } from './web/in-browser.js';
import { untilPrepared } from './web/prepared.js';
import { type ServeProcess, startServe } from './web/serve-process.js';
import type { Theme, WatchedPage } from './web/watched-page.js';

const COMPARISON = '/?q=tired+and+weary&modes=bm25,dense,hybrid';

describeInBrowser('the search page', (tests) => {
  let server: ServeProcess;
  let watched: WatchedPage | undefined;

  const open = async (path: string, options?: BrowserContextOptions): Promise<Page> => {
    watched = await tests.visit(`${server.url}${path}`, options);
    return watched.page;
  };
  /** Every test ends by looking at the console, at where requests went, and at what axe finds. */
  const finish = async (allowed?: RegExp): Promise<void> => {
    await watched?.expectAccessible();
    watched?.expectClean(allowed);
  };

  beforeAll(async () => {
    server = await startServe(await writeCollection(join(tests.folder, 'data')), ['--model', 'minilm']);
    // Vectors are made while words answer already; these tests are about what comes after.
    await untilPrepared(server.url);
    return () => server.stop();
  });

  test('says what is served before the first query', async () => {
    const page = await open('/');
    await page.getByText('14 documents').waitFor();
    expect(await page.locator('.facts').innerText()).toContain('384 dimensions');
    expect(await page.getByRole('radio', { name: 'Cascade' }).isDisabled()).toBe(true);
    expect(await page.locator('.mode-list').innerText()).toContain('this server was started without one');
    await finish();
  });

  test('finds while typing and on Enter; one step back in the history undoes a whole query', async () => {
    const page = await open('/');
    const box = page.getByRole('searchbox');
    await box.pressSequentially('blood clot', { delay: 30 });
    await page.locator('.hit').getByRole('link', { name: 'Hemophilia' }).waitFor();
    // "blood" finds it too, where the machine is slow enough for a pause between the words.
    await page.waitForURL(({ searchParams }) => searchParams.get('q') === 'blood clot');
    await box.press('Enter');
    await box.fill('fear of light');
    await box.press('Enter');
    await page.locator('.hit').first().getByRole('link', { name: 'Migraine' }).waitFor();
    await expect.poll(() => page.title()).toBe('fear of light · nearmiss');
    await page.goBack();
    await page.locator('.hit').getByRole('link', { name: 'Hemophilia' }).waitFor();
    await finish();
  });

  test('a newer query cancels the one under way', async () => {
    const page = await open('/?q=iron&modes=bm25');
    await page.locator('.hit').first().waitFor();
    const cancelled = page.waitForEvent('requestfailed');
    await page.route('**/v1/search', async (route) => {
      // Its answer does not come before it is not wanted any more.
      if (route.request().postDataJSON().query === 'asthma') await cancelled;
      await route.continue().catch(() => undefined);
    });
    await page.getByRole('searchbox').fill('asthma');
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('searchbox').fill('migraine');
    await page.getByRole('searchbox').press('Enter');
    expect((await cancelled).postDataJSON().query).toBe('asthma');
    await page.locator('.hit').getByRole('link', { name: 'Migraine' }).waitFor();
    await finish();
  });

  test('what is chosen while a pause in typing goes on stays chosen', async () => {
    const page = await open('/?q=iron&modes=hybrid');
    await page.locator('.hit').first().waitFor();
    await page.getByRole('searchbox').fill('iron tablets');
    await page.getByRole('radio', { name: 'BM25' }).check({ force: true });
    await page.getByLabel('Hits').selectOption('5');
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('iron tablets');
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('modes'), searchParams.get('k')]).toEqual(['bm25', '5']);
    await page.getByRole('region', { name: 'BM25 results' }).locator('.hit').first().waitFor();
    await finish();
  });

  test('an answer from a newer index makes the page ask what is offered', async () => {
    const page = await open('/?q=iron&modes=bm25');
    await page.locator('.hit').first().waitFor();
    const document = { text: 'Zinc is a metal that the body needs, too.' };
    const response = await fetch(`${server.url}/v1/documents/zinc`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(document),
    });
    expect(response.status).toBe(200);
    await page.getByRole('searchbox').fill('zinc');
    await page.locator('.served').getByText('15 documents').waitFor();
    await fetch(`${server.url}/v1/documents/zinc`, { method: 'DELETE' });
    await finish();
  });

  test('marks the words that were found and explains the score by parts and terms', async () => {
    const page = await open('/?q=red+blood+cells&modes=hybrid');
    const first = page.locator('.hit').first();
    await first.getByRole('link', { name: 'Anemia' }).waitFor();
    expect(await first.locator('mark').allInnerTexts()).toEqual(['red', 'blood', 'cells']);
    await first.getByRole('button', { name: /Explain/ }).click();
    const explain = first.locator('.explain');
    await explain.getByRole('table').waitFor();
    expect(await explain.getByRole('row').allInnerTexts()).toHaveLength(3);
    expect(await explain.getByRole('rowheader').allInnerTexts()).toEqual(
      expect.arrayContaining(['bm25', 'dense']),
    );
    expect((await explain.locator('.terms').innerText()).toLowerCase()).toContain('cell');
    await finish();
  });

  test('compares side by side: moves, what only one found, and the same document everywhere', async () => {
    const page = await open('/?q=tired+and+weary&modes=bm25');
    await page.locator('.hit').first().waitFor();
    await page.getByText('Compare', { exact: true }).click();
    await page.locator('.column').nth(2).locator('.hit').first().waitFor();
    expect(new URL(page.url()).searchParams.get('modes')).toBe('bm25,dense,hybrid');
    expect(await page.locator('.column h2').allInnerTexts()).toEqual(['BM25', 'Dense', 'Hybrid']);
    const dense = page.locator('.column-dense');
    // BM25 finds only documents with one of the words, dense search all of them.
    expect(await dense.locator('.move-new').count()).toBeGreaterThan(0);
    const ranks = async (mode: string) =>
      page.locator(`.column-${mode} .hit`).evaluateAll((hits) => hits.map((hit) => hit.dataset.document));
    const [bm25, hybrid] = [await ranks('bm25'), await ranks('hybrid')];
    const badges = await page
      .locator('.column-hybrid .hit')
      .evaluateAll((hits) => hits.map((hit) => hit.querySelector('.move [aria-hidden]')?.textContent ?? ''));
    for (const [rank, id] of hybrid.entries()) {
      const before = bm25.indexOf(id);
      if (before === -1) expect(['new', 'only here']).toContain(badges[rank]);
      else expect(badges[rank]).toBe(sign(before - rank));
    }
    const shared = hybrid[0];
    await page.locator(`.column-hybrid [data-document="${shared}"]`).hover();
    const columnsWithIt = [bm25, await ranks('dense'), hybrid].filter((ids) => ids.includes(shared)).length;
    expect(await page.locator('.hit-active').count()).toBe(columnsWithIt);
    expect(await page.locator('.rank-line-active').count()).toBeGreaterThan(0);
    await finish();
  });

  test('works by keyboard alone', async () => {
    const page = await open(COMPARISON);
    for (const column of [0, 1, 2])
      await page.locator('.column').nth(column).locator('.hit').first().waitFor();
    const focusedDocument = () => page.evaluate('document.activeElement.closest(".hit")?.dataset.document');
    const focusedColumn = () =>
      page.evaluate('document.activeElement.closest(".column")?.querySelector("h2").innerText');
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.id')).toBe('query');
    await page.keyboard.press('ArrowDown');
    expect(await focusedColumn()).toBe('BM25');
    const first = await focusedDocument();
    await page.keyboard.press('ArrowRight');
    expect(await focusedColumn()).toBe('Dense');
    expect(await focusedDocument()).toBe(first);
    await page.keyboard.press('ArrowDown');
    const opened = await focusedDocument();
    expect(opened).not.toBe(first);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/document/${opened}?**`);
    // The address changes before the page is drawn and takes the focus.
    await page.waitForFunction('document.activeElement.id === "main"');
    await finish();
  });

  test('filters by metadata: from a hit, by the form, and away again', async () => {
    const page = await open('/?q=blood&modes=dense');
    await page.getByRole('button', { name: 'topic: blood' }).first().click();
    await page.locator('.column-head').getByText('4 hits').waitFor();
    await page.getByRole('button', { name: '+ Filter' }).click();
    await page.getByLabel('Field').fill('year');
    await page.getByLabel('Must be').selectOption('at least');
    await page.getByLabel('Value').fill('2005');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.locator('.column-head').getByText('2 hits').waitFor();
    expect(JSON.parse(new URL(page.url()).searchParams.get('filter')!)).toEqual({
      topic: { $eq: 'blood' },
      year: { $gte: 2005 },
    });
    await watched!.expectAccessible();
    const focused = () => page.evaluate('document.activeElement.textContent');
    expect(await focused()).toBe('+ Filter');
    await page.getByRole('button', { name: /Remove the filter topic/ }).press('Enter');
    await page.locator('.column-head').getByText('10 hits').waitFor();
    await expect.poll(focused).toBe('+ Filter');
    await page.keyboard.press('Enter');
    await page.getByLabel('Value').press('Escape');
    await page.getByLabel('Value').waitFor({ state: 'detached' });
    expect(await focused()).toBe('+ Filter');
    await finish();
  });

  test('the menu of exports closes behind whoever tabs on', async () => {
    const page = await open('/?q=iron&modes=bm25');
    await page.locator('.hit').first().waitFor();
    const menu = page.locator('.export .menu');
    await menu.locator('summary').press('Enter');
    for (let item = 0; item < 4; item++) await page.keyboard.press('Tab');
    expect(await menu.getAttribute('open')).not.toBeNull();
    await page.keyboard.press('Tab');
    await expect.poll(() => menu.getAttribute('open')).toBeNull();
    await finish();
  });

  test('shows a document with its neighbours, and the way back', async () => {
    const page = await open('/?q=iron+tablet&modes=bm25');
    await page.getByRole('link', { name: 'Iron tablets' }).click();
    await page.getByRole('heading', { level: 1, name: 'Iron tablets' }).waitFor();
    const article = page.getByRole('article');
    expect(await article.innerText()).toContain('Take them with juice, not with milk.');
    // As the index compares words: "tablet" finds "tablets".
    expect((await article.locator('mark').allInnerTexts()).slice(0, 2)).toEqual(['Iron', 'tablets']);
    expect(await article.locator('.metadata').innerText()).toContain('2008');
    const neighbours = page.getByRole('complementary', { name: 'Nearest neighbours' });
    await neighbours.locator('.hit').first().getByRole('link', { name: 'Anemia' }).click();
    await page.getByRole('heading', { level: 1, name: 'Anemia' }).waitFor();
    await page.getByRole('link', { name: /Results for “iron tablet”/ }).click();
    await page.locator('.hit').first().waitFor();
    expect(page.url()).toBe(`${server.url}/?q=iron+tablet&modes=bm25`);
    await finish();
  });

  test('remembers a theme, and follows the system again', async () => {
    const page = await open(COMPARISON, { colorScheme: 'light' });
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await ground();
    await page.getByRole('button', { name: 'Switch to the dark theme' }).click();
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await ground()).toBe(dark);
    await page.getByRole('button', { name: 'Switch to the light theme' }).click();
    expect(await ground()).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await ground()).toBe(dark);
    await page.locator('.hit').first().waitFor();
    await finish();
  });

  describe.each<Theme>(['light', 'dark'])('in the %s theme', (colorScheme) => {
    test.each([
      ['/', '.welcome'],
      ['/?q=blood&modes=hybrid', '.hit'],
      [COMPARISON, '.column-hybrid .hit'],
      ['/document/anemia?q=iron', '.document aside .hit'],
      ['/training', 'main h1, main h2'],
      ['/space', 'main h1, main h2'],
      ['/quality', 'main h1, main h2'],
    ])('%s is accessible, wide and at 360 px, without scrolling sideways', async (path, settled) => {
      const page = await open(path, { colorScheme });
      await page.locator(settled).first().waitFor();
      await watched!.expectAccessible();
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
      await finish();
    });
  });

  test('says what is wrong and what to do', async () => {
    const page = await open('/?q=iron&modes=cascade');
    await page.getByText('Cascade is not offered here').waitFor();
    await page.goto(`${server.url}/?q=zzzzqqqq&modes=bm25`);
    await page.getByText('Nothing found').waitFor();
    await page.goto(`${server.url}/?q=iron&filter=%7B%22a%22%3A%7B%22%24like%22%3A1%7D%7D`);
    await page
      .getByRole('alert')
      .getByText(/\$like/)
      .first()
      .waitFor();
    await page.goto(`${server.url}/document/nobody`);
    await page.getByRole('alert').getByText('Not here').waitFor();
    await page.goto(`${server.url}/nowhere`);
    await page.getByText('No such page').waitFor();
    await finish(/status of 4\d\d/);
  });

  test('a busy server says when to come back, and the button tries again', async () => {
    const page = await open('/');
    await page.route('**/v1/search', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '3' },
        json: { error: { code: 'busy', message: 'too many requests are waiting', requestId: 'r-1' } },
      }),
    );
    await page.getByRole('searchbox').fill('iron');
    await page.getByRole('alert').getByText('Try again in 3 s.').waitFor();
    await page.unroute('**/v1/search');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.hit').first().waitFor();
    await finish(/status of 429/);
  });
});

function sign(move: number): string {
  if (move === 0) return '=';
  return move > 0 ? `▲${move}` : `▼${-move}`;
}
