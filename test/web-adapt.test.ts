import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { TINY, writeGuides } from '../src/adapt/adapt.fixture.js';
import { beginAdaptation } from '../src/adapt/adapt.js';
import { describeInBrowser, serveInTest } from './web/in-browser.js';
import { picture, type WatchedPage } from './web/watched-page.js';

const WAIT = { timeout: 180_000 };

describeInBrowser('adapting in the page', (tests) => {
  const guides = () => join(tests.folder, 'guides');
  const serve = () => serveInTest(guides(), ['--mode', 'bm25']);

  beforeAll(async () => {
    await writeGuides(guides(), 90);
    // As a server that was stopped in the middle leaves it.
    const out = join(guides(), '.nearmiss', 'runs', 'adapted');
    await beginAdaptation({ data: guides(), out, set: TINY });
  });

  test('what a server left in the middle goes on at the next one, and its verdict outlives that one, too', async () => {
    const first = await serve();
    const { page, expectAccessible } = await tests.visit(`${first.url}/training`);
    const run = page.getByRole('region', { name: 'Run adapted' });
    await run
      .getByText(/stopped/)
      .first()
      .waitFor(WAIT);
    await expectAccessible();
    await run.getByRole('button', { name: 'Go on' }).press('Enter');
    await page.getByText(/is being adapted/).waitFor(WAIT);
    const verdictOn = ({ page: shown }: Pick<WatchedPage, 'page'>) =>
      shown.getByRole('region', { name: 'What came of adapted' });
    await verdictOn({ page })
      .getByText(/^(Better|Level|Not better):/)
      .waitFor(WAIT);
    const told = await verdictOn({ page }).innerText();
    expect(told).toMatch(/heading\s+\d+\s+0\.\d{3}\s+0\.\d{3}/);
    await first.kill();

    const second = await serve();
    const again = await tests.visit(`${second.url}/training`);
    await verdictOn(again).waitFor(WAIT);
    expect(await verdictOn(again).innerText()).toBe(told);
    await again.expectAccessible();
    await picture(again.page, 'adapted');
    // One count of steps: the list of runs says what the run itself says.
    const shown = again.page.getByRole('region', { name: 'Run adapted' }).getByText(/^\d+ \/ \d+$/);
    const [step, steps] = (await shown.innerText()).split(' / ');
    expect(step).toBe(steps);
    await again.page.locator('.run-list').getByText(`adapt · ${steps} steps`).waitFor(WAIT);
    // A name that is taken is refused in words, and the form proposes a free one.
    await again.page.getByText('Adapt a model to these documents').click();
    const name = again.page.getByRole('textbox', { name: 'Call it' }).first();
    expect(await name.inputValue()).toBe('adapted-2');
    await name.fill('adapted');
    await again.page.getByRole('button', { name: 'Adapt', exact: true }).press('Enter');
    const refusal = again.page.getByRole('alert').getByText('there is a "adapted" already, and it has ended');
    await refusal.waitFor(WAIT);
    await again.page.setViewportSize({ width: 360, height: 740 });
    // Charts take their new width when they are told of it, after the page has.
    await expect
      .poll(() => again.page.evaluate('document.documentElement.scrollWidth'))
      .toBeLessThanOrEqual(360);
    again.expectClean(/status of 409/);
  });
});
