import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsOf, linksOf, ROOT, readPages, shellLines } from './docs.fixture.js';
import { complaintAbout } from './parse-only.fixture.js';

const pages = readPages();

describe.each(pages.map((page) => [page.path, page] as const))('%s', (path, page) => {
  test('links lead somewhere', () => {
    const broken = linksOf(page).filter((target) => {
      if (/^(?:https?|mailto):/.test(target)) return false;
      const [file, anchor] = target.split('#');
      const place = file === '' ? join(ROOT, path) : join(ROOT, dirname(path), file);
      if (!existsSync(place)) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(place, 'utf8')).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  const commands = shellLines(page).filter((line) => /^(?:npx )?nearmiss /.test(line));
  if (commands.length === 0) return;
  test('its commands are understood', async () => {
    const problems: string[] = [];
    for (const line of commands) {
      const problem = await complaintAbout(line);
      if (problem) problems.push(`${line}\n  ${problem}`);
    }
    expect(problems).toEqual([]);
  });

  const scripts = shellLines(page).flatMap((line) =>
    [...line.matchAll(/\bnpm run ([\w:]+)/g)].map(([, name]) => name),
  );
  if (scripts.length === 0) return;
  test('its scripts exist', () => {
    const known = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts;
    expect(scripts.filter((name) => !(name in known))).toEqual([]);
  });
});

test('every page of docs is reachable from README', () => {
  const seen = new Set(['README.md']);
  for (const path of seen) {
    const page = pages.find((other) => other.path === path);
    for (const target of page ? linksOf(page) : []) {
      if (!/^https?:/.test(target)) seen.add(join(dirname(path), target.split('#')[0]));
    }
  }
  expect(pages.map(({ path }) => path).filter((path) => !seen.has(path))).toEqual([]);
});
