/**
 * How long a person waits: seconds from the start of `nearmiss serve` until the first result stands in a browser that
 * was open already, median of several starts on a warm disk. Table on stderr, one JSON line on stdout.
 *
 *   npm run bench:first -- runs/medquad "what causes anemia"
 *   npm run bench:first -- data/medquad --model minilm --starts 9
 */
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../test/web/chromium.js';
import { firstAnswer, startServer } from './serve/server-process.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    model: { type: 'string' },
    starts: { type: 'string', default: '5' },
  },
});
const [target, query = 'what causes anemia'] = positionals;
if (target === undefined) throw new Error('name what to serve: a run, an index or a collection');
const args = [
  ...(values.data ? ['--data', values.data] : []),
  ...(values.model ? ['--model', values.model] : []),
];

// Whatever has to be made is made now, and the files are in memory afterwards.
const warming = await startServer(target, args);
await firstAnswer(warming);
await warming.stop();

const browser = await launchChromium();
const seconds: { listening: number; shown: number }[] = [];
try {
  for (let start = 0; start < Number(values.starts); start++) seconds.push(await onePerson(browser));
} finally {
  await browser.close();
}
console.log(
  JSON.stringify({
    starts: seconds.length,
    listeningSeconds: median(seconds.map(({ listening }) => listening)),
    firstResultSeconds: median(seconds.map(({ shown }) => shown)),
    slowestSeconds: Math.max(...seconds.map(({ shown }) => shown)),
  }),
);

async function onePerson(browser: Browser): Promise<{ listening: number; shown: number }> {
  // The server's policy forbids what Playwright waits with.
  const page = await browser.newPage({ bypassCSP: true });
  const server = await startServer(target, args);
  const since = (): number => Math.round(performance.now() - server.startedAt) / 1000;
  try {
    const listening = since();
    await page.goto(`${server.url}/?q=${encodeURIComponent(query)}`, { waitUntil: 'commit' });
    // In every frame: a locator would look again after half a second only.
    await page.waitForFunction("document.querySelector('.hit')?.checkVisibility()", undefined, {
      polling: 'raf',
    });
    const shown = since();
    process.stderr.write(`listening after ${listening} s, first result after ${shown} s\n`);
    return { listening, shown };
  } finally {
    await page.close();
    await server.stop();
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
