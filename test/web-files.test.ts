import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './web/in-browser.js';
import { type ServeProcess, startServe } from './web/serve-process.js';
import { picture } from './web/watched-page.js';

const LOGGING = `# Logging

What a server does is written to its log.

## Usage

The logger is used in handlers as follows:

\`\`\`js
app.get('/', function (request, reply) {
  request.log.info('about this request')
  reply.send({ hello: 'world' })
})
\`\`\`

## Levels

Errors are logged always, other things where the level of the logger allows them.
`;

describeInBrowser('a folder of files in the browser', (tests) => {
  let server: ServeProcess;

  beforeAll(async () => {
    const folder = join(tests.folder, 'guide');
    await mkdir(folder);
    await writeFile(join(folder, 'logging.md'), LOGGING);
    await writeFile(join(folder, 'start.md'), '# Start\n\nStart the server, then look at its log.\n');
    server = await startServe(folder, ['--mode', 'bm25']);
    return () => server.stop();
  });

  test('code among the hits is code, with its indentation; a hit says where it stands', async () => {
    const { page, expectClean, expectAccessible } = await tests.visit(`${server.url}/?q=request+log+info`);
    const hit = page.locator('.hit').first();
    await hit.locator('pre code').waitFor();
    expect(await hit.locator('pre').innerText()).toContain("{\n  request.log.info('about this request')\n");
    expect(await hit.locator('.hit-snippet').innerText()).toBe('The logger is used in handlers as follows:');
    expect(await hit.locator('.hit-facts').innerText()).not.toMatch(/position|anchor|heading|links/);
    await picture(page, 'code-hits');
    await expectAccessible();
    await hit.getByRole('button', { name: 'logging.md#usage' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('filter')).toContain('logging.md');
    await page.getByRole('button', { name: '+ Filter' }).click();
    await page.getByRole('group', { name: 'Values of path' }).waitFor();
    expect(await page.getByRole('group', { name: /Values of (position|anchor|heading)/ }).count()).toBe(0);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expectClean();
  });

  test('one hit per file, also in what is copied', async () => {
    const { page, expectClean, expectAccessible } = await tests.visit(`${server.url}/?q=log+server+logger`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.locator('.hit').nth(2).waitFor();
    await page.getByLabel('One hit per file').press(' ');
    await expect.poll(() => page.locator('.hit').count()).toBe(2);
    await page.locator('.hit').getByText('more in this file').waitFor();
    await expectAccessible();
    await page.getByText('Export', { exact: true }).click();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('groupBy=file');
    expectClean();
  });

  test('a passage is read with its code, and leads to those before and behind it', async () => {
    const { page, expectClean, expectAccessible } = await tests.visit(
      `${server.url}/document/logging.md%232?q=request`,
    );
    await page.locator('.document-text pre').waitFor();
    const shown = await page.locator('.document-text').innerText();
    expect(shown).not.toContain('```');
    expect(shown).toContain("\n  reply.send({ hello: 'world' })\n");
    expect(await page.locator('.document-text pre mark').allInnerTexts()).toEqual(['request', 'request']);
    await expectAccessible();
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await page.getByRole('link', { name: 'Next passage' }).press('Enter');
    await page.getByRole('heading', { name: /Levels/ }).waitFor();
    await page.getByRole('link', { name: 'Previous passage' }).click();
    await page.getByRole('heading', { name: /Usage/ }).waitFor();
    expectClean();
  });
});
