import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium, whyNoBrowser } from './chromium.js';
import { startServe } from './serve-process.js';

const HELP = `npm run screenshots -- [TARGET] [options] [-- options of nearmiss serve]

Pictures of the web UI for the documentation, into docs/images.

  TARGET             what to serve (default: nearmiss-demo/ance, which \`nearmiss demo\` makes)
  --query <text>     default: a small boat that you paddle
  --only <names>     some of them, e.g. search,add
  --out <dir>        default: docs/images

Examples:
  npm run screenshots -- runs/medquad
  npm run screenshots -- data/mine --query "reset a password" -- --model minilm
`;

const root = resolve(import.meta.dirname, '../..');
const VIEW = { width: 1280, height: 800 };
const MAX_BYTES = 300_000;

interface Shot {
  name: string;
  path: string;
  /** There once the page is complete. */
  settled: string;
  context?: BrowserContextOptions;
  /** What a reader would do before looking. */
  before?: (page: Page) => Promise<void>;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      query: { type: 'string', default: 'a small boat that you paddle' },
      only: { type: 'string' },
      out: { type: 'string', default: join(root, 'docs/images') },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const missing = whyNoBrowser();
  if (missing) throw new Error(missing);
  const [target = join(root, 'nearmiss-demo/ance'), ...serveOptions] = positionals;
  // What a page would change goes nowhere near the target.
  const state = await mkdtemp(join(tmpdir(), 'nearmiss-screenshots-'));
  const server = await startServe(target, ['--state', state, ...serveOptions]);
  const browser = await launchChromium();
  try {
    await mkdir(values.out, { recursive: true });
    const only = values.only?.split(',');
    for (const shot of await shotsOf(server.url, values.query)) {
      if (only && !only.includes(shot.name)) continue;
      const file = join(values.out, `${shot.name}.png`);
      await take(browser, { ...shot, path: `${server.url}${shot.path}` }, file);
      const { size } = await stat(file);
      process.stdout.write(`${relative(root, file)}  ${Math.round(size / 1000)} kB\n`);
      if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MAX_BYTES}`);
    }
  } finally {
    await browser.close();
    await server.stop();
    await rm(state, { recursive: true, force: true });
  }
}

async function shotsOf(url: string, query: string): Promise<Shot[]> {
  const q = encodeURIComponent(query);
  const { modes, runs } = await (await fetch(`${url}/v1/info`)).json();
  const compared = `/?q=${q}&modes=${modes.filter((mode: string) => mode !== 'cascade').join(',')}`;
  const found = await fetch(`${url}/v1/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, k: 1 }),
  });
  const { hits } = await found.json();
  const markFirst = (page: Page) => page.locator('.column').last().locator('.hit').first().hover();
  return [
    { name: 'search', path: compared, settled: '.column .hit', before: markFirst },
    {
      name: 'filter',
      path: `/?q=${q}`,
      settled: '.column .hit',
      before: async (page) => {
        await page.getByRole('button', { name: '+ Filter' }).click();
        await page.locator('.facets, .filter-form').first().waitFor();
        await page
          .locator('.hit')
          .first()
          .getByRole('button', { name: /is right/ })
          .click();
      },
    },
    { name: 'add', path: '/add', settled: '.drop' },
    {
      name: 'document',
      path: `/document/${encodeURIComponent(hits[0].id)}?q=${q}`,
      settled: '.document aside .hit',
    },
    ...(runs.length > 0
      ? [
          { name: 'before-after', path: `/before-after?q=${q}`, settled: '[aria-label^="After"] .hit' },
          ...['training', 'space', 'quality'].map((name) => ({
            name,
            path: `/${name}`,
            settled: 'main h1, main h2',
          })),
        ]
      : []),
  ];
}

async function take(browser: Browser, shot: Shot, file: string): Promise<void> {
  const page = await browser.newPage({ viewport: VIEW, ...shot.context });
  await page.goto(shot.path);
  await page.locator(shot.settled).first().waitFor();
  await page.waitForLoadState('networkidle');
  await shot.before?.(page);
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))');
  await page.screenshot({ path: file });
  await page.close();
}

await main();
