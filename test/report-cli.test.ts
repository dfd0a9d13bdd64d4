import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Parser } from 'htmlparser2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FIGURES_FOLDER } from '../src/analyze/report/share.js';
import { shareWords, startTinyRun, trainTinyRun, writeTinyData } from '../src/analyze/tiny-run.fixture.js';
import { checkContents } from '../src/base/folders/folder-contents.js';
import { findChromium } from './web/chromium.js';

const MAIN = resolve(import.meta.dirname, '../dist/cli/main.js');
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

let folder: string;
let run: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-report-cli-'));
  await writeTinyData(folder);
  await shareWords(folder);
  run = (await trainTinyRun(folder, 'run')).path;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function nearmiss(args: string[], env: Record<string, string> = {}) {
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', env: { ...process.env, ...env } });
}

/** Names of the elements of a page, and every address that a browser would load by itself. */
function parsePage(html: string): { elements: string[]; loads: string[]; ids: string[]; targets: string[] } {
  const found = {
    elements: [] as string[],
    loads: [] as string[],
    ids: [] as string[],
    targets: [] as string[],
  };
  const parser = new Parser({
    onopentag(name, { src, srcset, href, data, poster, id, style = '' }) {
      found.elements.push(name);
      if (id) found.ids.push(id);
      if (name === 'a') found.targets.push(href);
      else found.loads.push(...[src, srcset, href, data, poster].filter((value) => value !== undefined));
      found.loads.push(...(style.match(/url\([^)]*\)/g) ?? []));
    },
  });
  parser.end(html);
  found.loads.push(...(html.match(/@import|url\(/g) ?? []));
  return found;
}

test('one page with every figure, which loads nothing and runs nothing', async () => {
  const { status, stdout, stderr } = nearmiss(['report', run, '--queries', '20', '--threads', '1']);
  expect(stderr).not.toContain('    at ');
  expect([status, stdout]).toEqual([0, `${join(run, 'report.html')}\n`]);
  const html = await readFile(join(run, 'report.html'), 'utf8');
  const { elements, loads, ids, targets } = parsePage(html);
  expect(loads).toEqual([]);
  expect(elements).not.toContain('script');
  expect(elements).not.toContain('link');
  for (const section of [
    'quality',
    'space',
    'curves',
    'gradients',
    'overlap',
    'long-tail',
    'bm25',
    'costs',
  ]) {
    expect(ids).toContain(section);
    expect(targets).toContain(`#${section}`);
  }
  expect(targets.every((target) => target.startsWith('#'))).toBe(true);
  expect(html).toContain('prefers-color-scheme:dark');
  // Three queries, before and after; the figures of the analysis; the systems.
  expect(html.match(/· before training<\/title>/g)).toHaveLength(3);
  expect(html.match(/· after \d+ steps<\/title>/g)).toHaveLength(3);
  expect(html).toContain('Gradient norm before clipping');
  expect(html).toContain('✓ relevant');
});

test('figures as files, numbers as JSON, chosen queries; PNG where there is a browser', async () => {
  const out = join(folder, 'shared', 'tiny.html');
  const browser = findChromium();
  const args = [
    'report',
    run,
    '--out',
    out,
    '--query',
    'q0-0',
    '--method',
    'umap',
    '--queries',
    '20',
    '--json',
  ];
  const { status, stdout, stderr } = nearmiss([...args, '--quiet', browser ? '--png' : '--svg']);
  expect([status, stderr]).toEqual([0, '']);
  const { quality, space, analysis } = JSON.parse(stdout);
  expect(quality.systems).toHaveLength(4);
  expect(space.map(({ query }: { query: { id: string } }) => query.id)).toEqual(['q0-0']);
  expect(analysis.curves.steps).toBe(30);
  const files = await readdir(join(folder, 'shared', 'tiny-figures'));
  const svgs = files.filter((name) => name.endsWith('.svg'));
  expect(svgs).toEqual(
    expect.arrayContaining(['quality.svg', 'space-1-step-0.svg', 'loss.svg', 'overlap.svg']),
  );
  // What it has written, it may write anew; what somebody else put there stays.
  const figures = join(folder, 'shared', 'tiny-figures');
  await checkContents(figures, FIGURES_FOLDER);
  await writeFile(join(figures, 'keep.txt'), 'mine');
  expect(nearmiss(['report', run, '--out', out, '--svg']).stderr).toContain(
    "a report's figures and nothing else, got keep.txt",
  );
  expect(await readdir(figures)).toHaveLength(files.length + 1);
  if (!browser) return;
  expect(files.filter((name) => name.endsWith('.png'))).toHaveLength(svgs.length);
  const png = await readFile(join(folder, 'shared', 'tiny-figures', 'quality.png'));
  expect(png.subarray(0, 4)).toEqual(SIGNATURE);
  expect(png.readUInt32BE(16)).toBe(2 * 640);
});

test('says what is wrong before it works, without a stack trace', async () => {
  const noBrowser = nearmiss(['report', run, '--png'], { PATH: '/nowhere', CHROMIUM: '' });
  expect(noBrowser.status).toBe(1);
  expect(noBrowser.stderr).toContain('drawn by a Chromium, and none was found');
  expect(noBrowser.stderr).toContain('leave --png out');
  const noRun = nearmiss(['report', folder]);
  expect(noRun.status).toBe(1);
  expect(noRun.stderr).toContain('not a run');
  const begun = await startTinyRun(folder, 'begun');
  expect(nearmiss(['report', begun.path]).stderr).toContain('begun: no index of any checkpoint yet');
  expect(nearmiss(['report', run, '--split', 'nope']).stderr).toContain('no split "nope"');
  expect(nearmiss(['report', run, '--query', 'nobody', '--quiet']).stderr).toContain('no query "nobody"');
  const wrong = nearmiss(['report', run, '--method', 'pca']);
  expect(wrong.status).toBe(2);
  for (const { stderr } of [noRun, wrong]) expect(stderr).not.toContain('    at ');
});

test('the help has examples', () => {
  expect(nearmiss(['report', '--help']).stdout).toContain(
    'nearmiss report runs/medquad --out medquad.html --png',
  );
});
