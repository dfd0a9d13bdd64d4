import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { NearmissError } from '../base/errors.js';
import { exists, writeFileAtomic } from '../base/files.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** Pixels for each of the figure's own, so that text stays sharp on dense screens. */
const SCALE = 2;

/** The browser that `CHROMIUM` names, else the first on the `PATH`; none is an error. */
export async function requireChromium(): Promise<string> {
  const { CHROMIUM, PATH = '' } = process.env;
  const places = CHROMIUM
    ? [CHROMIUM]
    : PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  for (const path of places) {
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return path;
  }
  throw new NearmissError(
    CHROMIUM
      ? `CHROMIUM: no program ${CHROMIUM}`
      : 'PNG files are drawn by a Chromium, and none was found on the PATH',
    {
      hint: 'install chromium or google-chrome, set CHROMIUM to its path, or leave --png out: SVG files need none',
    },
  );
}

/** Draws an SVG file as a PNG file beside it. */
export async function rasterize(browser: string, svgPath: string): Promise<void> {
  const svg = await readFile(svgPath, 'utf8');
  const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
  const profile = await mkdtemp(join(tmpdir(), 'nearmiss-png-'));
  const shot = join(profile, 'shot.png');
  try {
    await promisify(execFile)(browser, [
      '--headless',
      '--disable-gpu',
      '--hide-scrollbars',
      `--force-device-scale-factor=${SCALE}`,
      `--window-size=${width},${height}`,
      `--user-data-dir=${profile}`,
      `--screenshot=${shot}`,
      // Chromium refuses to sandbox for root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      `file://${resolve(svgPath)}`,
    ]);
    if (!(await exists(shot))) throw new Error('it ended without a picture');
    await writeFileAtomic(svgPath.replace(/\.svg$/, '.png'), await readFile(shot));
  } catch (error) {
    throw new NearmissError(`${browser}: cannot draw ${svgPath}: ${(error as Error).message}`, {
      hint: 'leave --png out, or set CHROMIUM to another browser',
      cause: error,
    });
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
