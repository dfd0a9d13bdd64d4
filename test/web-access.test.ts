import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runBuiltCli } from './console-blocks.fixture.js';
import { writeCollection } from './web/collection.js';
import { describeInBrowser, serveInTest } from './web/in-browser.js';

describeInBrowser('the page of a server', (tests) => {
  let data: string;

  beforeAll(async () => {
    data = await writeCollection(join(tests.folder, 'data'));
  });

  test('with API keys asks for one, says when it is wrong, and goes on with the right one', async () => {
    const { keys, key } = await addKey(tests.folder);
    const server = await serveInTest(data, ['--keys', keys]);
    const { page, expectAccessible, expectClean } = await tests.visit(`${server.url}/?q=iron`);
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
  });

  test('asks again when a key is refused sooner than the dialog has told of its closing', async () => {
    const { keys } = await addKey(tests.folder);
    const server = await serveInTest(data, ['--keys', keys]);
    const { page } = await tests.visit(`${server.url}/?q=iron`);
    const dialog = page.getByRole('dialog', { name: 'API key' });
    await dialog.waitFor();
    await page.evaluate('globalThis.fetch = async () => new Response("{}", { status: 401 })');
    for (const key of ['one', 'two', 'three']) {
      await dialog.getByLabel('Key').fill(key);
      await dialog.getByRole('button', { name: 'Use this key' }).click();
    }
    await dialog.getByText('The server refused this key.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  test('without a model searches by words, and says why there are no neighbours', async () => {
    const server = await serveInTest(data, ['--mode', 'bm25']);
    const { page, expectAccessible, expectClean } = await tests.visit(`${server.url}/document/iron`);
    await page
      .getByText('This server was started to search by words alone: without vectors nothing is near.')
      .waitFor();
    await page.goto(`${server.url}/?q=iron`);
    await page.getByRole('region', { name: 'BM25 results' }).locator('.hit').first().waitFor();
    expect(await page.getByRole('radio', { name: 'Dense' }).isDisabled()).toBe(true);
    await expectAccessible();
    expectClean();
  });

  test('that is gone says so, and finds it again', async () => {
    const server = await serveInTest(data);
    const { page, expectAccessible, expectClean } = await tests.visit(`${server.url}/?q=iron`);
    await page.locator('.hit').first().waitFor();
    await server.stop();
    await page.getByRole('searchbox').fill('anemia');
    await page.getByRole('alert').getByText('No server').waitFor();
    await expectAccessible();
    await serveInTest(data, ['--port', new URL(server.url).port]);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.hit').first().waitFor();
    expectClean(/ERR_CONNECTION_REFUSED/);
  });
});

async function addKey(folder: string): Promise<{ keys: string; key: string }> {
  const keys = join(await mkdtemp(join(folder, 'keys-')), 'keys.json');
  const { stdout } = await runBuiltCli(
    ['serve', 'keys', 'add', '--role', 'read', '--name', 'reader', '--file', keys],
    { cwd: folder },
  );
  return { keys, key: stdout.trim().split(/\s+/).at(-1)! };
}
