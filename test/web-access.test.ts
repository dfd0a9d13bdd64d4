import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runBuiltCli } from './console-blocks.fixture.js';
import { launchChromium, whyNoBrowser } from './web/chromium.js';
import { writeCollection } from './web/collection.js';
import { startServe } from './web/serve-process.js';
import { openPage } from './web/watched-page.js';

const missing = whyNoBrowser();
if (missing) console.warn(`test/web-access: skipped, ${missing}`);

describe.skipIf(missing)('the page of a server', { timeout: 120_000 }, () => {
  let folder: string;
  let browser: Browser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nearmiss-web-access-'));
    await writeCollection(join(folder, 'data'));
    browser = await launchChromium();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('with API keys asks for one, says when it is wrong, and goes on with the right one', async () => {
    const keys = join(folder, 'keys.json');
    const added = await runBuiltCli(
      ['serve', 'keys', 'add', '--role', 'read', '--name', 'reader', '--file', keys],
      {
        cwd: folder,
      },
    );
    const key = added.stdout.trim().split(/\s+/).at(-1)!;
    const server = await startServe(join(folder, 'data'), ['--keys', keys]);
    const { page, expectAccessible, expectClean, close } = await openPage(browser);
    await page.goto(`${server.url}/?q=iron`);
    const dialog = page.getByRole('dialog', { name: 'API key' });
    await dialog.waitFor();
    await expectAccessible();
    await dialog.getByLabel('Key').fill('wrong');
    await dialog.getByRole('button', { name: 'Use this key' }).click();
    await dialog.getByText('The server refused this key.').waitFor();
    await dialog.getByLabel('Key').fill(key);
    await dialog.getByRole('button', { name: 'Use this key' }).click();
    await page.locator('.hit').first().waitFor();
    expect(await dialog.isVisible()).toBe(false);
    await page.reload();
    await page.locator('.hit').first().waitFor();
    expectClean(/status of 401/);
    await close();
    await server.stop();
  });

  test('without a model searches by words, and says why there are no neighbours', async () => {
    const server = await startServe(join(folder, 'data'));
    const { page, expectAccessible, expectClean, close } = await openPage(browser);
    await page.goto(`${server.url}/document/iron`);
    await page.getByText('There are no vectors here').waitFor();
    await page.goto(`${server.url}/?q=iron`);
    await page.getByRole('region', { name: 'BM25 results' }).locator('.hit').first().waitFor();
    expect(await page.getByRole('radio', { name: 'Dense' }).isDisabled()).toBe(true);
    await expectAccessible();
    expectClean();
    await close();
    await server.stop();
  });

  test('that is gone says so, and finds it again', async () => {
    const server = await startServe(join(folder, 'data'));
    const { page, expectAccessible, expectClean, close } = await openPage(browser);
    await page.goto(`${server.url}/?q=iron`);
    await page.locator('.hit').first().waitFor();
    await server.stop();
    await page.getByRole('searchbox').fill('anemia');
    await page.getByRole('alert').getByText('No server').waitFor();
    await expectAccessible();
    const again = await startServe(join(folder, 'data'), ['--port', new URL(server.url).port]);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.hit').first().waitFor();
    expectClean(/ERR_CONNECTION_REFUSED/);
    await close();
    await again.stop();
  });
});
