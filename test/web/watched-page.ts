import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What a page may take for anything on a busy machine. */
const PATIENCE_MS = 180_000;

export type Theme = 'light' | 'dark';

export interface WatchedPage {
  page: Page;
  /** Fails where the console had an error, or a request went anywhere but to this machine. */
  expectClean(allowed?: RegExp): void;
  /** Fails with what axe finds serious or critical, in the theme that is on screen. */
  expectAccessible(): Promise<void>;
  close(): Promise<void>;
}

/** A page of its own session, all of whose errors and requests are kept. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  return {
    page,
    expectClean(allowed) {
      expect(errors.filter((error) => !allowed?.test(error))).toEqual([]);
      expect(requests.filter((url) => !isLocal(url))).toEqual([]);
    },
    async expectAccessible() {
      // Colours on their way from one state to the next are nobody's choice.
      await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))');
      await page.evaluate(axeSource);
      const found = await page.evaluate(async () => {
        const axe = (globalThis as unknown as { axe: Axe }).axe;
        const { violations } = await axe.run();
        return violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
      });
      expect(found).toEqual([]);
    },
    close: () => context.close(),
  };
}

/** Keeps a picture for people to look at, where `NEARMISS_PICTURES` names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.NEARMISS_PICTURES;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

interface Axe {
  run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
}

function isLocal(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'data:' || protocol === 'blob:' || hostname === '127.0.0.1';
}
