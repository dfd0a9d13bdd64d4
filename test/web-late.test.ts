import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { loadEncoderModel } from '../src/model/encoder/encoder-model.js';
import { saveEncoderModel } from '../src/model/encoder/save-encoder.js';
import { writeCollection } from './web/collection.js';
import { describeInBrowser } from './web/in-browser.js';
import { untilPrepared } from './web/prepared.js';
import { type ServeProcess, startServe } from './web/serve-process.js';
import { picture } from './web/watched-page.js';

describeInBrowser('late interaction on the search page', (tests) => {
  let server: ServeProcess;
  beforeAll(async () => {
    const folder = join(tests.folder, 'colbert');
    const head = { pooling: 'tokens', projection: 64, bias: false, normalize: true, fillQueries: 12 };
    await saveEncoderModel(folder, await loadEncoderModel('minilm', { layers: 2, maxLength: 64, head }), {
      onnx: false,
    });
    server = await startServe(await writeCollection(join(tests.folder, 'data')), ['--model', folder]);
    await untilPrepared(server.url);
    return () => server.stop();
  });

  test('asks for explanations when somebody does, once for all hits', async () => {
    const watched = await tests.visit(`${server.url}/?q=tired+and+pale&modes=dense`);
    const { page } = watched;
    const hits = page.locator('.hit');
    // The first search is over before requests are counted.
    await hits.nth(1).waitFor();
    const explained: boolean[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/search')) explained.push(request.postDataJSON().explain === true);
    });
    await page.reload();
    await hits.nth(1).waitFor();
    expect(explained).toEqual([false]);
    for (const nth of [0, 1]) {
      await hits
        .nth(nth)
        .getByRole('button', { name: /Explain/ })
        .click();
      await hits.nth(nth).locator('.heat').waitFor();
    }
    expect(explained).toEqual([false, true]);
    await page.getByRole('searchbox').fill('iron');
    await page.keyboard.press('Enter');
    await page.locator('.heat').getByRole('button', { name: /^iron/ }).first().waitFor();
    expect(explained).toEqual([false, true, false, true]);
    watched.expectClean();
  });

  test('shows which words of the document the query chose, as a heat map', async () => {
    const watched = await tests.visit(`${server.url}/?q=tired+and+pale&modes=dense`);
    const { page } = watched;
    const hit = page.locator('.hit').first();
    await hit.getByRole('button', { name: /Explain/ }).click();
    const heat = hit.locator('.heat');
    await heat.waitFor();
    const tokens = await heat.getByRole('button').allInnerTexts();
    expect(tokens.map((token) => token.split(' → ')[0])).toEqual([
      '[CLS]',
      '[unused0]',
      'tired',
      'and',
      'pale',
      '[SEP]',
    ]);
    expect(await heat.locator('.terms').innerText()).toMatch(/6 × \[MASK\]/);
    const map = heat.locator('.heat-map');
    expect(await map.innerText()).toMatch(/^\[CLS\] \[unused1\] \w/);
    const chosen = tokens[2].split(' → ')[1].split(' ')[0];
    await heat.getByRole('button', { name: /^tired/ }).hover();
    expect(await map.locator('.heat-chosen').innerText()).toBe(chosen.replace(/^##/, ''));
    const heats = await map
      .locator('.heat-cell')
      .evaluateAll((cells) => cells.map((cell) => (cell as HTMLElement).style.getPropertyValue('--heat')));
    expect(heats).toContain('45%');
    expect(heats).toContain('0%');
    await picture(page, 'heat');
    await watched.expectAccessible();
    watched.expectClean();
  });
});

describeInBrowser('learned weights of terms on the search page', (tests) => {
  let server: ServeProcess;
  beforeAll(async () => {
    const folder = join(tests.folder, 'unicoil');
    const head = { pooling: 'token-weights' };
    await saveEncoderModel(folder, await loadEncoderModel('minilm', { layers: 1, maxLength: 48, head }), {
      onnx: false,
    });
    server = await startServe(await writeCollection(join(tests.folder, 'data')), ['--model', folder]);
    await untilPrepared(server.url);
    return () => server.stop();
  });

  test('stand in the text', async () => {
    const watched = await tests.visit(`${server.url}/?q=tired+people+lack+iron&modes=dense`);
    const { page } = watched;
    const hit = page.locator('.hit').first();
    await hit.getByRole('button', { name: /Explain/ }).click();
    const map = hit.getByRole('region', { name: /what weighs most is darkest/ });
    await map.waitFor();
    const cells = map.locator('.heat-cell');
    const heats = await cells.evaluateAll((all) =>
      all.map((cell) => (cell as HTMLElement).style.getPropertyValue('--heat')),
    );
    expect(heats).toContain('45%');
    expect(await map.locator('[title^="weighs "]').count()).toBeGreaterThan(0);
    const words = await map.innerText();
    for (const shared of await hit
      .getByRole('list', { name: 'What each term gave' })
      .getByRole('listitem')
      .allInnerTexts())
      expect(words).toContain(shared.split(' ')[0]);
    await watched.expectAccessible();
    await picture(page, 'term-weights');
    watched.expectClean();
  });
});
