import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { beforeAll, describe, onTestFinished } from 'vitest';
import { launchChromium, whyNoBrowser } from './chromium.js';
import { type ServeProcess, startServe } from './serve-process.js';
import { openPage, type WatchedPage } from './watched-page.js';

export interface BrowserTests {
  /** Theirs alone, gone after the last of them. */
  folder: string;
  /** A page at an address, closed when the test ends. */
  visit(address: string, options?: BrowserContextOptions): Promise<WatchedPage>;
}

/** Tests that share a browser and a folder; skipped, with the reason as their name, where there is no browser. */
export function describeInBrowser(name: string, define: (tests: BrowserTests) => void): void {
  const missing = whyNoBrowser();
  describe.skipIf(missing)(missing === undefined ? name : `${name}: ${missing}`, () => {
    let browser: Browser;
    const tests: BrowserTests = {
      folder: '',
      async visit(address, options) {
        const watched = await openPage(browser, options);
        onTestFinished(() => watched.close());
        await watched.page.goto(address);
        return watched;
      },
    };
    beforeAll(async () => {
      tests.folder = await mkdtemp(join(tmpdir(), 'nearmiss-web-'));
      browser = await launchChromium();
      return async () => {
        await browser.close();
        await rm(tests.folder, { recursive: true, force: true });
      };
    });
    define(tests);
  });
}

/** A server for one test, stopped when it ends, however it ends. */
export async function serveInTest(target: string, args?: readonly string[]): Promise<ServeProcess> {
  const server = await startServe(target, args);
  onTestFinished(async () => void (await server.stop()));
  return server;
}
