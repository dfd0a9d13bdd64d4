import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { trainTinyRun, writeTinyData } from '../src/analyze/tiny-run.fixture.js';
import { describeInBrowser, serveInTest } from './web/in-browser.js';
import { untilPrepared } from './web/prepared.js';
import { picture } from './web/watched-page.js';

describeInBrowser('using what a run has learned', (tests) => {
  const data = () => join(tests.folder, 'data');

  beforeAll(async () => {
    await writeTinyData(tests.folder);
    await trainTinyRun(tests.folder, 'data/.nearmiss/runs/learned');
  });

  test('a button makes the model of a run the one that searches, and another takes it back', async () => {
    const server = await serveInTest(data());
    await untilPrepared(server.url);
    const { page, expectAccessible, expectClean } = await tests.visit(`${server.url}/training?run=learned`);
    const part = page.getByRole('region', { name: 'Searching with learned' });
    await part.getByText(/Search uses .*MiniLM/i).waitFor();
    await expectAccessible();
    await picture(page, 'use-model');
    await part.getByRole('button', { name: 'Use learned for search' }).press('Enter');
    await part.getByText('Search uses learned, here and on the command line.').waitFor();

    await page.getByRole('link', { name: 'Search', exact: true }).click();
    await page
      .getByText(/trained .*ago|learned/)
      .first()
      .waitFor();
    await page.goto(`${server.url}/training?run=learned`);
    await part.getByRole('button', { name: 'Use the model as published again' }).press('Enter');
    await part.getByRole('button', { name: 'Use learned for search' }).waitFor();
    await part.getByText(/Search uses .*MiniLM/i).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await expectAccessible();
    expectClean();
  });
});
