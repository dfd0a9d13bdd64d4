import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The system's browser: what `CHROMIUM` names, else the first on the `PATH`. */
export function findChromium(): string | undefined {
  const { CHROMIUM, PATH = '' } = process.env;
  if (CHROMIUM) return CHROMIUM;
  return PATH.split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find(isExecutable);
}

/** Why browser tests are skipped, or `undefined` where they can run. */
export function whyNoBrowser(): string | undefined {
  if (findChromium() !== undefined) return undefined;
  return `no browser: install chromium (Debian: apt-get install chromium) or set CHROMIUM to its path`;
}

export function launchChromium(): Promise<Browser> {
  // Chromium refuses to sandbox for root, which is who runs tests in most containers.
  const sandbox = process.getuid?.() !== 0;
  return chromium.launch({
    executablePath: findChromium(),
    chromiumSandbox: sandbox,
    args: ['--disable-gpu'],
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
