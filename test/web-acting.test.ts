import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { shareWords, writeTinyData } from '../src/analyze/tiny-run.fixture.js';
import { openDataset } from '../src/data/index.js';
import { writeCollection } from './web/collection.js';
import { describeInBrowser, serveInTest } from './web/in-browser.js';
import { type ServeProcess, startServe } from './web/serve-process.js';
import { picture } from './web/watched-page.js';

const WAIT = { timeout: 180_000 };

describeInBrowser('what the pages do', (tests) => {
  let server: ServeProcess;

  beforeAll(async () => {
    const medical = await writeCollection(join(tests.folder, 'medical'));
    await writeTinyData(tests.folder);
    await shareWords(tests.folder);
    server = await startServe(medical, [join(tests.folder, 'data'), '--mode', 'bm25']);
    return () => server.stop();
  });

  const expectNarrow = async (page: Page) => {
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  };

  test('a collection without labels says what is missing, and offers what needs none', async () => {
    const { page, expectAccessible } = await tests.visit(`${server.url}/training`);
    await page.getByRole('button', { name: 'Adapt' }).waitFor(WAIT);
    await expectAccessible();
    await expectNarrow(page);
    await page.getByText('Train a model on labels').click();
    await page.getByText(/the collection has no labels/).waitFor(WAIT);
  });

  test('the HTTP API is described and tried out, by keyboard, in both themes and on a phone', async () => {
    const { page, expectClean, expectAccessible } = await tests.visit(server.url, { colorScheme: 'dark' });
    await page.getByRole('link', { name: 'HTTP API' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'HTTP API' }).waitFor(WAIT);
    await page.locator('#get-v1-search > summary').press('Enter');
    const search = page.locator('#get-v1-search');
    await search.getByText(/^Answer 200: \d+ fields$/).press('Enter');
    await search.getByText('hits[].snippet.text').waitFor(WAIT);
    expect(new URL(page.url()).hash).toBe('#get-v1-search');
    await search.getByLabel('q', { exact: true }).fill('iron tablets');
    await search.getByLabel('k', { exact: true }).press('Enter');
    await search.getByText(/^200 OK, \d+ ms$/).waitFor(WAIT);
    expect(JSON.parse(await search.locator('.api-answer').innerText()).hits[0].title).toBe('Iron tablets');
    await expectAccessible();
    await page.emulateMedia({ colorScheme: 'light' });
    await expectAccessible();
    await picture(page, 'http-api');
    // The address leads back to it; a body comes filled in, and what is wrong with it is told.
    await page.goto(`${server.url}/docs#post-v1-search`);
    await page.reload();
    const post = page.locator('#post-v1-search');
    await post.getByRole('textbox', { name: 'Body' }).fill('{"query": "iron", "modes": ["bm25"]}');
    await post.getByRole('button', { name: 'Send' }).press('Enter');
    await post.getByText(/did you mean \\"mode\\"\?/).waitFor(WAIT);
    await expectNarrow(page);
    await expectAccessible();
    await picture(page, 'http-api-phone');
    expectClean(/status of 400/);
  });

  test('the home page names what is served and offers queries to try', async () => {
    const { page, expectClean, expectAccessible } = await tests.visit(server.url);
    await page.locator('.examples a').first().waitFor(WAIT);
    const words = await page.locator('main').innerText();
    expect(words).not.toMatch(/\bbest\b|[0-9a-f]{12}\+\d/);
    await expectAccessible();
    await page.locator('.examples a').first().click();
    await page.locator('.hit').first().waitFor(WAIT);
    expectClean();
  });

  test('filters offer fields and values with counts; a misspelt field says what was meant', async () => {
    const { page, expectClean, expectAccessible } = await tests.visit(`${server.url}/?q=blood+pain+lung`);
    await page.getByRole('button', { name: '+ Filter' }).click();
    const topic = page.getByRole('group', { name: 'Values of topic' });
    await topic.waitFor(WAIT);
    await topic.getByRole('button', { name: 'drugs 4' }).waitFor(WAIT);
    expect(await page.getByRole('group', { name: 'Values of year' }).innerText()).toContain('1999 to 2016');
    await expectAccessible();
    await picture(page, 'facets');
    await topic.getByRole('button', { name: /lung/ }).click();
    await page.locator('.column-head').getByText('1 hit in').waitFor(WAIT);
    await expectNarrow(page);
    await page.goto(`${server.url}/?q=blood&filter=${encodeURIComponent('{"topik":"lung"}')}`);
    await page.getByRole('alert').getByText('did you mean topic?').waitFor(WAIT);
    expectClean(/status of 400/);
  });

  test('hits are called right or wrong, by mouse and keyboard, and stay so', async () => {
    const { page, expectClean, expectAccessible } = await tests.visit(`${server.url}/?q=iron`);
    const right = page
      .locator('.hit')
      .first()
      .getByRole('button', { name: /is right/ });
    await right.waitFor(WAIT);
    await right.click();
    await page.locator('.hit').nth(1).locator('[data-hit]').focus();
    await page.keyboard.press('-');
    await expect
      .poll(async () => (await (await fetch(`${server.url}/v1/judgments`)).json()).total, WAIT)
      .toBe(2);
    await page.reload();
    await expect.poll(() => right.getAttribute('aria-pressed'), WAIT).toBe('true');
    const wrong = page
      .locator('.hit')
      .nth(1)
      .getByRole('button', { name: /is wrong/ });
    expect(await wrong.getAttribute('aria-pressed')).toBe('true');
    await expectAccessible();
    // A second click takes it back.
    await right.click();
    await expect
      .poll(async () => (await (await fetch(`${server.url}/v1/judgments`)).json()).total, WAIT)
      .toBe(1);
    expectClean();
  });

  test('what two people mark at once outlives a killed server, as a split of the collection', async () => {
    const shared = await writeCollection(join(tests.folder, 'shared'));
    const killed = await startServe(shared, ['--mode', 'bm25']);
    const queries = ['iron', 'blood'];
    const pages = await Promise.all(queries.map((query) => tests.visit(`${killed.url}/?q=${query}`)));
    await Promise.all(
      pages.map(async ({ page }) => {
        for (const [nth, name] of [/is right/, /is wrong/].entries()) {
          const button = page.locator('.hit').nth(nth).getByRole('button', { name });
          await button.click(WAIT);
          await expect.poll(() => button.getAttribute('aria-pressed'), WAIT).toBe('true');
        }
      }),
    );
    await killed.kill();
    const dataset = await openDataset(shared);
    const marked = await dataset.qrels('judged');
    const texts: string[] = [];
    for await (const { text } of dataset.queries('judged')) texts.push(text);
    expect(texts.sort()).toEqual([...queries].sort());
    for (const grades of marked.values()) expect([...grades.values()].sort()).toEqual([0, 1]);
  });

  test('a search is copied as curl and saved as CSV', async () => {
    const { page, expectClean, expectAccessible } = await tests.visit(`${server.url}/?q=iron+tablets`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByText('Export', { exact: true }).click();
    await expectAccessible();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Copied').waitFor(WAIT);
    const command = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(command).toBe(`curl '${server.url}/v1/search?q=iron+tablets&mode=bm25&k=10'`);
    await page.getByText('Export', { exact: true }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const content = await readFile(await (await saved).path(), 'utf8');
    expect(content.split('\r\n')[1]).toMatch(/^1,iron,/);
    expectClean();
  });

  test('documents are pasted and dropped, and found', async () => {
    const { page, expectClean, expectAccessible } = await tests.visit(`${server.url}/add`);
    await page.getByLabel('Title').fill('Zinc');
    await page.getByLabel('Text', { exact: true }).fill('Zinc heals wounds of the zebra.');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('1 added, 0 replaced.').waitFor(WAIT);
    await page.getByLabel('Choose files').setInputFiles([
      { name: 'yak.md', mimeType: 'text/markdown', buffer: Buffer.from('# The yak\n\nA yak grazes.') },
      {
        name: 'two.jsonl',
        mimeType: 'text/plain',
        buffer: Buffer.from('{"id":"y1","text":"yak one"}\n{"id":"y2","text":"yak two"}\n'),
      },
      { name: 'bad.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') },
    ]);
    await page.getByText('3 added, 0 replaced.').waitFor(WAIT);
    expect(await page.locator('.add .bad').innerText()).toContain('bad.pdf');
    await expectAccessible();
    await picture(page, 'add');
    await expectNarrow(page);
    await page.goto(`${server.url}/?q=yak`);
    await page.locator('.column-head').getByText('3 hits').waitFor(WAIT);
    expectClean();
  });

  test('a folder is added with its paths, cut into passages, and adapted to; too little is said to be so', async () => {
    const folder = join(tests.folder, 'notes');
    await mkdir(join(folder, 'guide', '.git'), { recursive: true });
    await writeFile(
      join(folder, 'guide', 'owls.md'),
      '# Owls\n\nThey hunt.\n\n## Nests\n\nIn hollow trees.\n',
    );
    await writeFile(join(folder, 'guide', '.git', 'x.md'), 'not a text of the reader');
    await writeFile(join(folder, 'picture.png'), 'x');
    const target = await writeCollection(join(tests.folder, 'grown'));
    const own = await serveInTest(target, ['--mode', 'bm25']);
    const { page, expectClean, expectAccessible } = await tests.visit(`${own.url}/add`);
    await page.getByLabel('Choose a folder').setInputFiles(folder);
    await page.getByText('2 added, 0 replaced.').waitFor(WAIT);
    await page.getByText('1 .png left out: picture.png').waitFor(WAIT);
    await writeFile(join(folder, 'guide', 'owls.md'), '# Owls\n\nThey hunt by night.\n');
    await page.getByLabel('Choose a folder').setInputFiles(folder);
    await page.getByText('0 added, 1 replaced.').waitFor(WAIT);
    const found = await (await fetch(`${own.url}/v1/search?q=owls&mode=bm25`)).json();
    expect(found.hits.map(({ id }: { id: string }) => id)).toEqual(['guide/owls.md#1']);
    await page.getByRole('link', { name: 'adapt a model to these documents' }).press('Enter');
    await page.getByRole('textbox', { name: 'Call it' }).fill('grown');
    await page.getByRole('button', { name: 'Adapt' }).press('Enter');
    await page.getByText('There is too little to learn from.').waitFor(WAIT);
    await expectAccessible();
    await picture(page, 'adapt-too-little');
    // What was added is among what it looked at.
    const documents = await readFile(
      join(target, '.nearmiss', 'runs', 'grown-documents', 'corpus.jsonl'),
      'utf8',
    );
    expect(documents).toContain('They hunt by night.');
    expectClean();
  });

  test('another collection of the same server is chosen in the header', async () => {
    const { page, expectClean } = await tests.visit(server.url);
    await page.getByLabel('Collection').selectOption({ label: 'data' });
    await page.waitForURL('**/collections/data/');
    await page.locator('.examples a').first().click();
    await page.locator('.hit').first().waitFor(WAIT);
    expect(new URL(page.url()).pathname).toBe('/collections/data/');
    await page.locator('.hit [data-hit]').first().click();
    await page.locator('.document-text').waitFor(WAIT);
    expect(new URL(page.url()).pathname).toMatch(/^\/collections\/data\/document\//);
    expectClean();
  });

  test('a training is started and stopped from the page', async () => {
    const { page, expectClean, expectAccessible } = await tests.visit(
      `${server.url}/collections/data/training`,
    );
    await page.getByRole('textbox', { name: 'Call it' }).fill('from-page');
    expect(await page.getByLabel('Learn from').innerText()).toContain('train');
    await expectAccessible();
    await picture(page, 'start-training');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('is being trained').waitFor(WAIT);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('was stopped').waitFor(WAIT);
    expect(await page.getByRole('alert').count()).toBe(0);
    expectClean();
  });

  test('rules of mining are looked at before a training: what each keeps and drops', async () => {
    const { page, expectClean, expectAccessible } = await tests.visit(
      `${server.url}/collections/data/training`,
    );
    await page.getByText('Preview what rules of mining drop').click(WAIT);
    await page.getByLabel('Leave out the first ranks').fill('1');
    await page.getByLabel('Leave out the first ranks').press('Enter');
    const shown = page.getByRole('region', { name: 'What the rules do' });
    await shown.getByText(/candidates of 5 queries, .* are kept/).waitFor(WAIT);
    const marks = await shown.locator('tbody td:first-child').allInnerTexts();
    for (const mark of ['+ answers', '− kept', '× among the first ranks']) expect(marks).toContain(mark);
    await expectAccessible();
    await picture(page, 'mining-preview');
    await expectNarrow(page);
    expectClean();
  });

  test('words are explained where they stand, and in the glossary', async () => {
    const { page, expectClean, expectAccessible } = await tests.visit(`${server.url}/glossary#rr`);
    await page.getByText(/Reciprocal rank/).waitFor(WAIT);
    await expectAccessible();
    await expectNarrow(page);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${server.url}/collections/data/training`);
    // Closed where a run is there to look at: the one that was started above, if it got as far as that.
    const form = page.locator('details', { hasText: 'Train a model on labels' });
    await form.evaluate((details: HTMLDetailsElement) => {
      details.open = true;
    });
    const term = form.locator('.term a').first();
    await term.waitFor(WAIT);
    await term.focus();
    await page
      .getByRole('tooltip')
      .getByText(/All settings of a training/)
      .waitFor(WAIT);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/collections/data/glossary#recipe');
    expectClean();
  });

  test('the first time: words answer at once, and what goes by meaning joins in by itself', async () => {
    const fresh = await writeCollection(join(tests.folder, 'fresh'));
    const first = await serveInTest(fresh);
    const { page, expectClean, expectAccessible } = await tests.visit(`${first.url}/?q=weary`);
    await page.locator('.hit').first().waitFor(WAIT);
    await expectAccessible();
    await page.getByRole('region', { name: 'Hybrid results' }).locator('.hit').first().waitFor(WAIT);
    await expect.poll(() => page.locator('.preparing').count(), WAIT).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
    expectClean();
  });
});
